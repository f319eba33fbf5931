//! The commands to the worker process and its replies: lines of JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use testbed::ThreadCounters;

use super::pattern::Pattern;
use super::tables::Tables;
use crate::workload::{Layout, Workload};

/// The store, and its parameters.
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
    /// Whether disk space is allocated only when it is written.
    pub(crate) sparse: bool,
}

impl StoreSpec {
    pub(crate) fn workload(&self) -> Workload {
        Workload { rrds: self.rrds, layout: self.layout }
    }
}

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// The ring store.
    Ring,
    /// gyre's directory of `.rrd` files.
    Directory,
}

/// A command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Command {
    /// Open the store; make an empty one if there is none.
    Open,
    /// Make every RRD, as if it had been made before this cycle.
    Create { cycle: u64 },
    /// Send the updates of a cycle.
    Cycle {
        cycle: u64,
        pattern: Pattern,
        /// Whether to report acknowledged updates meanwhile.
        announce: bool,
    },
    /// Make further RRDs without updates, and fill in their last cycles.
    BackFill { rrds: u64, cycle: u64, cycles: u64 },
    /// Fetch the day before a cycle from each of these RRDs.
    Fetch { rrds: Vec<u64>, cycle: u64 },
    /// Tell the times of the last updates of these RRDs.
    LastUpdates { rrds: Vec<u64> },
    /// Wait until nothing of the log waits to be replayed.
    Replay,
    /// Make one update, and wait for its acknowledgement.
    Update { rrd: u64, cycle: u64 },
    /// Feed the databases of such names into tables from now on, beside all other work.
    Feed { tables: Tables, names: String },
    /// Feed no longer.
    EndFeed,
    /// Tell how the feed is doing.
    FeedHealth,
}

/// A reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The command is done.
    Done { seconds: f64 },
    /// The cycle is done.
    Cycle(CycleReply),
    /// The first RRDs of a thread's share, up to this number, are acknowledged.
    Acknowledged { thread: u64, rrds: u64 },
    /// The seconds of each fetch, and a hash of all the rows.
    Fetched { seconds: Vec<f64>, hash: u64 },
    /// A time for each requested RRD.
    LastUpdates { seconds: Vec<i64> },
    /// How the feed is doing.
    Fed(FeedReply),
    /// The command failed.
    Failed(String),
}

/// How a feed is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeedReply {
    pub(crate) is_connected: bool,
    pub(crate) databases: usize,
    pub(crate) rows: u64,
    pub(crate) rows_lost: u64,
    /// Failures since it was connected last.
    pub(crate) failures: u32,
}

/// The counters of a cycle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CycleReply {
    pub(crate) seconds: f64,
    pub(crate) updates: u64,
    pub(crate) threads: ThreadCounters,
}
