//! The kernel's side: a worker under a limit of memory.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use testbed::Cgroup;

use super::files::PAGE_BYTES;
use super::worker::{Cycle, NAME, Task};

/// What the program itself needs under its limit, beside the page cache: its own memory, the inodes
/// and names that the kernel keeps of its files.
const PROGRAM_BYTES: u64 = 6 << 20;
const INODE_BYTES: u64 = 1600;

/// What the kernel did.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// Pages read in each cycle.
    pub(crate) pages_read: Vec<u64>,
    /// Pages that the page cache had, in the mean of the later half of the cycles.
    pub(crate) cached_pages: u64,
}

/// The limit of memory with which about so many pages are left for the page cache.
pub(crate) fn limit_bytes(files: u32, cache_pages: u64) -> u64 {
    cache_pages * PAGE_BYTES + PROGRAM_BYTES + u64::from(files) * INODE_BYTES
}

/// Lets a worker do its task with about so many pages of page cache.
pub(crate) fn run(task: &Task, cache_pages: u64) -> Result<Watched, String> {
    let group = Cgroup::new("capacity", limit_bytes(task.fleet.files, cache_pages))?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut worker = group
        .command(&own)
        .arg(NAME)
        .arg(serde_json::json!(task).to_string())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", own.display()))?;
    let lines = BufReader::new(worker.stdout.take().expect("it is piped")).lines();
    let mut pages_read = Vec::new();
    let mut cached_bytes = Vec::new();
    for line in lines {
        let line = line.map_err(|error| error.to_string())?;
        let cycle: Cycle = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        pages_read.push(cycle.pages_read);
        cached_bytes.push(group.cached_bytes()?);
    }
    let ended = worker.wait().map_err(|error| error.to_string())?;
    if !ended.success() || pages_read.len() as u64 != task.cycles {
        return Err(format!("the worker ended with {ended} after {} cycles", pages_read.len()));
    }
    let later = &cached_bytes[cached_bytes.len() / 2..];
    let cached_pages = later.iter().sum::<u64>() / later.len() as u64 / PAGE_BYTES;
    Ok(Watched { pages_read, cached_pages })
}
