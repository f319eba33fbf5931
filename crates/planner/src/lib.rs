//! What a machine will have to bear for round robin databases, before it is bought.
//!
//! A [`Fleet`] is databases of some layouts, each updated at its cadence; a [`Machine`] is numbers:
//! memory, rates of its disk, costs of its processor; a [`Way`] is how they are kept. [`predict()`]
//! makes a [`Prediction`] of the three, [`most()`] turns it round: how many databases a machine
//! carries, and [`scenario`] asks what if. `docs/plan.md` has the derivation of each figure, and
//! how far it is from what real runs took.
//!
//! This is arithmetic: no clock, no file, and nothing is asked of the machine that it runs on.
#![forbid(unsafe_code)]

mod error;
mod fleet;
mod machine;
mod way;
mod prediction;
mod predict;
mod simulated;
mod files;
mod journal;
mod ring;
mod cycle;
mod most;
pub mod scenario;

pub use error::PlanError;
pub use fleet::{Fleet, FleetGroup};
pub use machine::{DiskRates, FileSystem, Machine, Processor};
pub use most::{most, most_more};
pub use predict::predict;
pub use prediction::{Cycle, Load, Memory, Prediction, Reads, Resource, Written};
pub use way::{Access, Way};
