//! A directory that fails by plan: the machine of deterministic fault simulation.
//!
//! ```text
//!                       write            write-back, sync_data         power cut
//!     program ---------------> cache ----------------------> platter ----------> next life
//!                              (what reads see)              (sectors of 512)
//! ```
//!
//! Everything that happens follows from the plan and its seed, so that a seed replays a history:
//! calls are numbered from zero, and no clock is asked. Between a write and its sync any sector may
//! reach the platter or not, in any order; so may names until the directory is synced.

mod plan;
mod inode;
mod world;
mod medium;

pub use chance::Random;
pub use medium::{FaultyFile, FaultyMedium};
pub use plan::{Fault, FaultPlan, FaultRates, Restart, Survival};
