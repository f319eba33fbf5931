//! The task of a worker, and its reports.

use serde::{Deserialize, Serialize};
use testbed::Cgroup;

use crate::cycle::Cycle;
use crate::files::Files;
use crate::growing::Growth;
use crate::layouts::PAGE_BYTES;
use crate::ways::{Kept, Way};

/// Memory of a worker under its limit in addition to the page cache: its own, rrdtool's, and the
/// kernel's inodes and names of its files.
pub(crate) const PROGRAM_BYTES: u64 = 2 << 20;
pub(crate) const RRDTOOL_BYTES: u64 = 5 << 18;
pub(crate) const INODE_BYTES: u64 = 1600;
/// The kernel's page index of a file has a node for each group of 64 pages with one in memory. The
/// first node is counted with the inode.
const INDEX_NODE_BYTES: u64 = 576;
const INDEX_NODE_PAGES: u64 = 64;
/// Memory for a file that stays open: its header, twice, and the parsed header.
const OPEN_BYTES_A_SOURCE: u64 = 4 << 10;

/// Updates of all files, cycle by cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) files: Files,
    /// The name of the way.
    pub(crate) way: String,
    pub(crate) cycles: u64,
    /// Pages of page cache for each file; `None` for no limit.
    pub(crate) pages_a_file: Option<u64>,
    /// Updates wait in a journal in memory for this many cycles, and are then written file by file;
    /// 0 for no journal.
    pub(crate) journal_cycles: u64,
    /// Whether to report the resident pages of each file at the end.
    pub(crate) looks: bool,
    /// Whether to evict each file before its update, and report its resident pages after it.
    pub(crate) evicts_each: bool,
    /// Files of a longer step with the same memory, updated in the cycles in which their step ends.
    pub(crate) beside: Option<Files>,
    /// The number of concurrent updaters, each with its own part of the files, while another thread
    /// writes everything back. 0 means one, without that thread.
    pub(crate) updaters: u32,
}

/// The kinds of tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Work {
    Growth(Growth),
    Updates(Task),
}

/// A report of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Told {
    /// The pages in memory of one file after its eviction and update.
    Brought(Vec<u32>),
    /// A cycle is done.
    Cycle(Cycle),
    /// The number of resident pages of each file.
    Resident(Vec<u64>),
}

impl Task {
    /// A task of cycles without a limit of memory or other options.
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

    /// The control group with the task's limit, if it has one.
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
