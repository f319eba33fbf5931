//! What the benchmark tells its worker process, and what that answers: lines of JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use testbed::ThreadCounters;

use super::pattern::Pattern;
use crate::workload::{Layout, Workload};

/// Which store, and how it is made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoreSpec {
    pub(crate) kind: Kind,
    pub(crate) directory: PathBuf,
    pub(crate) rrds: u64,
    pub(crate) layout: Layout,
    /// Cycles between two flushes of a group (`C`).
    pub(crate) flush_cycles: u32,
    /// The most rows of a tile (`K`).
    pub(crate) tile_rows: u32,
    /// Whether space is taken only when it is written.
    pub(crate) sparse: bool,
}

impl StoreSpec {
    pub(crate) fn workload(&self) -> Workload {
        Workload { rrds: self.rrds, layout: self.layout }
    }
}

/// A backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// The ring store.
    Ring,
    /// gyre's directory of `.rrd` files.
    Directory,
}

/// One line to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Command {
    /// Open the store; make an empty one where there is none.
    Open,
    /// Make every RRD, as if it had been made before this cycle.
    Create { cycle: u64 },
    /// Send the updates of a cycle.
    Cycle {
        cycle: u64,
        pattern: Pattern,
        /// Say which updates are acknowledged as it goes.
        announce: bool,
    },
    /// Make so many further RRDs whose past is empty, and fill in their last cycles.
    BackFill { rrds: u64, cycle: u64, cycles: u64 },
    /// Fetch the day before a cycle from each of these RRDs.
    Fetch { rrds: Vec<u64>, cycle: u64 },
    /// The times of the last updates of these RRDs.
    LastUpdates { rrds: Vec<u64> },
    /// One update, acknowledged.
    Update { rrd: u64, cycle: u64 },
}

/// One line from the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// It is done.
    Done { seconds: f64 },
    /// A cycle is done.
    Cycle(CycleReply),
    /// The first so many RRDs of a thread's share are acknowledged.
    Acknowledged { thread: u64, rrds: u64 },
    /// The seconds of each fetch, and a hash of all the rows.
    Fetched { seconds: Vec<f64>, hash: u64 },
    /// One time for each RRD asked for.
    LastUpdates { seconds: Vec<i64> },
    /// It failed.
    Failed(String),
}

/// A cycle, as the worker saw it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CycleReply {
    pub(crate) seconds: f64,
    pub(crate) updates: u64,
    pub(crate) threads: ThreadCounters,
}
