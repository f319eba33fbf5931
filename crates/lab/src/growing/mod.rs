//! Databases that become more from step to step, until whatever keeps them no longer keeps up.
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

/// How databases are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Keeping {
    /// `.rrd` files, by a way of this name; updates wait in a journal for so many cycles, 0 is
    /// none.
    Files { way: String, journal_cycles: u64 },
    /// The ring store, its tiles of so many rows at most.
    Ring { tile_rows_max: u32 },
}

/// A life that grows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Growth {
    pub(crate) keeping: Keeping,
    pub(crate) layout: Layout,
    /// Where the databases are. Files are there beforehand, databases of the ring are made when
    /// their step begins.
    pub(crate) directory: PathBuf,
    pub(crate) steps: Vec<Step>,
    /// When all that is there at first was updated last.
    pub(crate) last_seconds: u64,
    /// How many update at the same time, each its part.
    pub(crate) writers: u32,
    /// It ends where cycles take more than this; none is no end.
    pub(crate) share: Option<Share>,
}

/// One cycle of a life.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) databases: u32,
    /// Those of them that came last, and the pages that were read for them.
    pub(crate) added: u32,
    pub(crate) added_pages_read: u64,
    /// Whether they came with this cycle.
    pub(crate) is_first: bool,
    /// Of all of them together.
    pub(crate) cycle: Cycle,
    /// Pages read after the updates, for what is done behind them: rows that are flushed, a
    /// catalogue, the file system's own.
    pub(crate) kept_pages_read: u64,
    /// What the program held in memory that no file backs.
    pub(crate) anonymous_bytes: u64,
}

impl Turn {
    /// Pages read for those that were there before.
    pub(crate) fn older_pages_read(&self) -> u64 {
        self.cycle.pages_read.saturating_sub(self.added_pages_read)
    }
}
