//! The report of a growing run on one cycle.

use serde::{Deserialize, Serialize};

use crate::cycle::Cycle;

/// The report on one cycle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) databases: u32,
    /// The databases that were added last, and the pages read for them.
    pub(crate) added: u32,
    pub(crate) added_pages_read: u64,
    /// Whether they were added in this cycle.
    pub(crate) is_first: bool,
    /// The counts of all of them together.
    pub(crate) cycle: Cycle,
    /// Pages read after the updates for background work: flushed rows, the catalogue, the file
    /// system's own.
    pub(crate) kept_pages_read: u64,
    /// The anonymous memory of the program.
    pub(crate) anonymous_bytes: u64,
}

impl Turn {
    /// Pages read for the older databases.
    pub(crate) fn older_pages_read(&self) -> u64 {
        self.cycle.pages_read.saturating_sub(self.added_pages_read)
    }
}
