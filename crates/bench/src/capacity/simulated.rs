//! Simulates the same updates with Linux's two lists and its readahead.

use ::capacity::cache::{Cache as _, TwoLists};
use ::capacity::policy::{NoReadahead, OnDemand, ReadAround, Readahead};
use ::capacity::replay::{self, Replay};

use super::worker::{Method, Task};

/// Pages read in each cycle with a cache of this size.
pub(super) fn run(task: &Task, cache_pages: u64) -> Result<Vec<u64>, String> {
    match (task.advice, task.method) {
        (true, _) => cycles(task, cache_pages, &NoReadahead),
        (false, Method::Mapping) => {
            cycles(task, cache_pages, &ReadAround::with_large_folios(task.window_pages))
        }
        (false, _) => cycles(task, cache_pages, &OnDemand::with_large_folios(task.window_pages)),
    }
}

fn cycles<R: Readahead + Clone>(
    task: &Task,
    cache_pages: u64,
    readahead: &R,
) -> Result<Vec<u64>, String> {
    let fleet = task.fleet.fleet()?;
    let cache_pages = u32::try_from(cache_pages).map_err(|_| "the cache is too large")?;
    let cache = TwoLists::new(cache_pages.max(1), fleet.pages());
    let method = match task.method {
        Method::Pwrite => replay::Method::Pwrite,
        Method::Pread => replay::Method::Stream,
        Method::Mapping => replay::Method::Mapping,
    };
    let mut replay = Replay::new(fleet, cache, method, readahead);
    let cycle = |_| {
        let before = replay.cache().counts();
        replay.cycle();
        replay.cache_mut().write_back_all();
        replay.cache().counts().since(&before).pages_read()
    };
    Ok((0..task.cycles).map(cycle).collect())
}
