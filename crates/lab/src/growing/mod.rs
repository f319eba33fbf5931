//! Adds databases step by step, until the program that keeps them cannot keep up any more.
//!
//! ```text
//! steps:   | 1000         | 1125         | 1250   ...    databases
//! cycles:  | 0  1  2  3   | 4  5  6  7   | 8      ...    each updates all that there are
//!            ^ those that came are read    ^ judged, window by window (`share`)
//! ```

mod schedule;
mod share;
mod cohorts;
mod life;
mod writers;
mod ring;
mod worker;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::layouts::Layout;
use crate::task::Cycle;

pub(crate) use life::{Ended, Life};
pub(crate) use schedule::Step;
pub(crate) use share::{Broken, Share, judged};
pub(crate) use worker::grow;

/// How the databases are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Keeping {
    /// `.rrd` files, in the way of this name. Updates wait in a journal for this many cycles; 0
    /// means no journal.
    Files { way: String, journal_cycles: u64 },
    /// The ring store, with this limit for the rows of a tile.
    Ring { tile_rows_max: u32 },
}

/// The task of a growing run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Growth {
    pub(crate) keeping: Keeping,
    pub(crate) layout: Layout,
    /// The directory of the databases. Files exist beforehand; databases of the ring store are made
    /// when their step begins.
    pub(crate) directory: PathBuf,
    pub(crate) steps: Vec<Step>,
    /// The time of the last update of the initial databases.
    pub(crate) last_seconds: u64,
    /// The number of concurrent updaters, each with its own part.
    pub(crate) writers: u32,
    /// The run ends when cycles exceed this limit; `None` for no limit.
    pub(crate) share: Option<Share>,
}

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
