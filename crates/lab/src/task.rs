//! What a worker is told, and what it tells.

use serde::{Deserialize, Serialize};
use testbed::Cgroup;

use crate::files::Files;
use crate::growing::Growth;
use crate::layouts::PAGE_BYTES;
use crate::ways::{Kept, Way};

/// What a worker needs under its limit beside the page cache: its own memory, rrdtool's, and the
/// inodes and names that the kernel keeps of its files.
pub(crate) const PROGRAM_BYTES: u64 = 2 << 20;
pub(crate) const RRDTOOL_BYTES: u64 = 5 << 18;
pub(crate) const INODE_BYTES: u64 = 1600;
/// The kernel's index of a file's pages has a node for each 64 of them of which one is in memory;
/// the first is counted with the inode.
const INDEX_NODE_BYTES: u64 = 576;
const INDEX_NODE_PAGES: u64 = 64;
/// And what a file that stays open takes: its header, twice, and what it says.
const OPEN_BYTES_A_SOURCE: u64 = 4 << 10;

/// Updates of all files, cycle by cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) files: Files,
    /// A way by its name.
    pub(crate) way: String,
    pub(crate) cycles: u64,
    /// Pages of page cache for each file; none is no limit.
    pub(crate) pages_a_file: Option<u64>,
    /// Updates wait in a journal in memory for so many cycles, and are then written file by file; 0
    /// is no journal.
    pub(crate) journal_cycles: u64,
    /// Whether it looks at the end which pages are in memory.
    pub(crate) looks: bool,
    /// Whether each file is evicted before its update, and looked at after it.
    pub(crate) evicts_each: bool,
    /// Files of a longer step in the same memory, updated in the cycles in which it ends.
    pub(crate) beside: Option<Files>,
    /// How many update at once, each its own part of the files, while all is written back; 0 is
    /// one, and nothing is written back meanwhile.
    pub(crate) updaters: u32,
}

/// What a worker may be told.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Work {
    Growth(Growth),
    Updates(Task),
}

/// What a worker tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Told {
    /// One file, evicted and updated, has these pages in memory.
    Brought(Vec<u32>),
    /// One cycle is done.
    Cycle(Cycle),
    /// How many pages of each file are in memory.
    Resident(Vec<u64>),
}

/// What the kernel counted of one cycle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Cycle {
    /// The time of the updates.
    pub(crate) at_seconds: u64,
    /// Pages read from the disk for the program that updates.
    pub(crate) pages_read: u64,
    /// Pages that it changed, each once.
    pub(crate) pages_written: u64,
    /// Those of the pages read that were for the files beside.
    pub(crate) pages_read_beside: u64,
    /// Times that the kernel had to step in where a program touched memory, no disk being needed.
    pub(crate) minor_faults: u64,
    /// On a processor for the updates, without writing back; of threads, those that are still
    /// there.
    pub(crate) processor_seconds: f64,
    /// How long the updates took, without writing back.
    pub(crate) seconds: f64,
    /// How long they took with writing back.
    pub(crate) synced_seconds: f64,
}

impl Task {
    /// Cycles without a limit of memory, and nothing else.
    pub(crate) fn new(files: &Files, way: Way, cycles: u64) -> Self {
        Self {
            files: files.clone(),
            way: way.name.into(),
            cycles,
            pages_a_file: None,
            journal_cycles: 0,
            looks: false,
            evicts_each: false,
            beside: None,
            updaters: 0,
        }
    }

    /// The group with the task's limit, if it has one.
    pub(crate) fn group(&self) -> Result<Option<Cgroup>, String> {
        let Some(pages_a_file) = self.pages_a_file else { return Ok(None) };
        let beside = self.beside.as_ref().map_or(0, |files| files.count);
        let files = u64::from(self.files.count + beside);
        let rrdtool_bytes = if self.way == crate::ways::RRDTOOL.name { RRDTOOL_BYTES } else { 0 };
        let is_open = Way::named(&self.way).is_some_and(|way| way.kept != Kept::Nothing);
        let open_bytes = self.files.layout.sources() as u64 * OPEN_BYTES_A_SOURCE;
        let index_nodes = self.files.layout.pages().div_ceil(INDEX_NODE_PAGES).min(pages_a_file);
        let index_bytes = (index_nodes - 1) * INDEX_NODE_BYTES;
        let kernel_bytes = INODE_BYTES + index_bytes;
        let file_bytes =
            pages_a_file * PAGE_BYTES + kernel_bytes + if is_open { open_bytes } else { 0 };
        Cgroup::new("lab", PROGRAM_BYTES + rrdtool_bytes + files * file_bytes).map(Some)
    }
}
