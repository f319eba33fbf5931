//! Predicts the load of round robin databases on a machine, before it is bought.
//!
//! A [`Fleet`] describes databases of some layouts, each updated at its cadence. A [`Machine`]
//! describes memory, the speed of the disk and the costs of the processor. A [`Way`] is a way to
//! keep databases. [`predict()`] makes a [`Prediction`] from the three. [`most()`] is the inverse:
//! how many databases a machine carries. [`scenario`] answers what-if questions. `docs/plan.md`
//! derives each figure, and compares it with measurements.
//!
//! The crate is pure arithmetic: it uses no clock or file, and asks nothing of the machine that it
//! runs on.
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
mod room;
mod most;
pub mod scenario;

pub use error::PlanError;
pub use fleet::{Fleet, FleetGroup};
pub use machine::{DiskRates, FileSystem, Machine, Processor};
pub use most::{most, most_more};
pub use predict::predict;
pub use prediction::{Cycle, Load, Memory, Prediction, Reads, Resource, Written};
pub use way::{Access, Way};
