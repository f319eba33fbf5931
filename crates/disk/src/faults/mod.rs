//! A directory that fails as planned, for deterministic fault simulation.
//!
//! ```text
//!                       write            write-back, sync_data         power cut
//!     program ---------------> cache ----------------------> platter ----------> next life
//!                              (what reads see)              (sectors of 512)
//! ```
//!
//! Everything follows from the plan and its seed, so the same seed replays the same history. Calls
//! are numbered from zero, and there is no clock. Between a write and its sync, any sector may
//! reach the platter or not, in any order. The same holds for names until the directory is synced.

mod plan;
mod inode;
mod world;
mod medium;

pub use chance::Random;
pub use medium::{FaultyFile, FaultyMedium};
pub use plan::{Fault, FaultPlan, FaultRates, Restart, Survival};
