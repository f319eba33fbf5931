//! Runs a worker under a limit of memory and reads the kernel's counters.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testbed::{Cgroup, Interrupts, run_worker};

use super::files::PAGE_BYTES;
use super::worker::{Cycle, NAME, Task};

/// The program's own needs under its limit in addition to the page cache: its memory, and the
/// kernel's inodes and names of its files.
const PROGRAM_BYTES: u64 = 6 << 20;
const INODE_BYTES: u64 = 1600;
/// The kernel decides by statistics that it sums up every two seconds, or when they are read. A
/// cycle takes little longer here but represents minutes, so they are read all the time.
const ADDED_UP_EVERY: Duration = Duration::from_micros(500);

/// The kernel's counters.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// Pages read in each cycle.
    pub(crate) pages_read: Vec<u64>,
    /// The largest size of the page cache, in pages, after one of the cycles in the second half.
    pub(crate) cached_pages: u64,
}

/// The limit of memory that leaves about this many pages for the page cache.
pub(crate) fn limit_bytes(files: u32, cache_pages: u64) -> u64 {
    cache_pages * PAGE_BYTES + PROGRAM_BYTES + u64::from(files) * INODE_BYTES
}

/// Runs a worker with about this many pages of page cache.
pub(crate) fn run(
    interrupts: &Interrupts,
    task: &Task,
    cache_pages: u64,
) -> Result<Watched, String> {
    let group = Cgroup::new("capacity", limit_bytes(task.fleet.files, cache_pages))?;
    let has_ended = AtomicBool::new(false);
    let (pages_read, cached_bytes) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) && group.cached_bytes().is_ok() {
                std::thread::sleep(ADDED_UP_EVERY);
            }
        });
        let counted = count(interrupts, task, &group);
        has_ended.store(true, Ordering::Relaxed);
        counted
    })?;
    if pages_read.len() as u64 != task.cycles {
        return Err(format!("the worker ended after {} cycles", pages_read.len()));
    }
    let later = &cached_bytes[cached_bytes.len() / 2..];
    // If little is read, the cache is not full in every cycle.
    let cached_pages = later.iter().max().copied().unwrap_or(0) / PAGE_BYTES;
    Ok(Watched { pages_read, cached_pages })
}

/// Pages read in each cycle and bytes of page cache after it, until the worker ends.
fn count(
    interrupts: &Interrupts,
    task: &Task,
    group: &Cgroup,
) -> Result<(Vec<u64>, Vec<u64>), String> {
    let (mut pages_read, mut cached_bytes) = (Vec::new(), Vec::new());
    run_worker(Some(group), interrupts, &[NAME], task, |cycle: Cycle| {
        pages_read.push(cycle.pages_read);
        cached_bytes.push(group.cached_bytes()?);
        Ok(())
    })?;
    Ok((pages_read, cached_bytes))
}
