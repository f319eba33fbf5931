//! `.rrd` files in place, consolidated in memory and journaled.

mod lines;
mod log;
mod stakes;
mod log_start;
mod replay;
mod chains;
mod judge;

pub use judge::{Judge, PIECE_BYTES};
pub use lines::Lines;
pub use log::{Acknowledge, Log, LogOptions};
pub use replay::{FoundFile, Replay, Step};
pub use stakes::Stake;
