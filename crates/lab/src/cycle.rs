//! What one cycle of updates took.

use serde::{Deserialize, Serialize};

/// The kernel's counters for one cycle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Cycle {
    /// The time of the updates.
    pub(crate) at_seconds: u64,
    /// Pages read from the disk for the program that updates.
    pub(crate) pages_read: u64,
    /// Pages that it changed, each counted once.
    pub(crate) pages_written: u64,
    /// Those of the pages read that were for the files of the longer step.
    pub(crate) pages_read_beside: u64,
    /// Page faults that needed no disk.
    pub(crate) minor_faults: u64,
    /// Processor time of the updates, without write-back; only of threads that still exist.
    pub(crate) processor_seconds: f64,
    /// The duration of the updates, without write-back.
    pub(crate) seconds: f64,
    /// The duration of the updates, with write-back.
    pub(crate) synced_seconds: f64,
}
