//! The task of a growing run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Share, Step};
use crate::layouts::Layout;

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
