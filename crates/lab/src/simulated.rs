//! What `capacity` predicts for the same updates.

use capacity::cache::{Cache as _, TwoLists};
use capacity::policy::{NoReadahead, OnDemand, ReadAround, Readahead, Stock, StockRules};
use capacity::recording::Recording;
use capacity::replay::{Method, Replay};
use capacity::scenario::{CachePolicy, ReadaheadPolicy, Scenario};
use capacity::trace::{Cursor, Fleet, Group, Scatter};

use crate::files::Files;
use crate::ways::Way;

/// Where the rows of each file stand at first.
const SEED: u64 = 7;

/// Files as they stand before their next update.
fn fleet(files: &Files) -> Result<Fleet, String> {
    let group = Group { shape: files.layout.shape(), files: files.count };
    Fleet::new(vec![group], files.last_seconds, Scatter::ByChance(SEED))
        .ok_or_else(|| "too many files for a simulation".into())
}

fn pages(cache_pages: u64) -> Result<u32, String> {
    u32::try_from(cache_pages.max(1)).map_err(|_| "the cache is too large for a simulation".into())
}

/// Pages read for each update by Linux's two lists, in the cycles after the warm ones.
pub(crate) fn pages_read(
    files: &Files,
    way: Way,
    window_kib: u64,
    cache_pages: u64,
    [warm, counted]: [u64; 2],
) -> Result<f64, String> {
    let step_seconds = files.layout.step_seconds();
    let scenario = Scenario {
        fleet: fleet(files)?,
        method: way.method(),
        warming_seconds: warm * step_seconds,
        counted_seconds: counted * step_seconds,
    };
    let readahead = way.readahead(window_kib);
    let outcome = scenario.run(CachePolicy::TwoLists, readahead, pages(cache_pages)?);
    Ok(outcome.counts.pages_read() as f64 / outcome.updates as f64)
}

/// Pages read and written for each update of each cycle, with advice.
pub(crate) fn day(
    files: &Files,
    way: Way,
    cache_pages: u64,
    cycles: u64,
) -> Result<Vec<[f64; 2]>, String> {
    let fleet = fleet(files)?;
    let cache = TwoLists::new(pages(cache_pages)?, fleet.pages());
    let mut replay = Replay::new(fleet, cache, way.method(), &NoReadahead);
    let cycle = |_| {
        let before = replay.cache().counts();
        replay.cycle();
        replay.cache_mut().write_back_all();
        let counts = replay.cache().counts().since(&before);
        [counts.pages_read(), counts.write_backs].map(|it| it as f64 / f64::from(files.count))
    };
    Ok((0..cycles).map(cycle).collect())
}

/// The pages that are in memory after one update of an evicted file.
pub(crate) fn brought(
    files: &Files,
    newest_rows: Vec<u64>,
    method: Method,
    readahead: ReadaheadPolicy,
) -> Vec<u32> {
    let update = Update { files, newest_rows, method };
    match readahead {
        ReadaheadPolicy::OnDemand(pages) => update.brought(OnDemand::new(pages)),
        ReadaheadPolicy::ReadAround(pages) => update.brought(ReadAround::new(pages)),
        ReadaheadPolicy::Observed => update.brought(Stock::new(StockRules::Observed)),
        _ => update.brought(NoReadahead),
    }
}

/// The next update of one file.
struct Update<'a> {
    files: &'a Files,
    newest_rows: Vec<u64>,
    method: Method,
}

impl Update<'_> {
    fn brought<R: Readahead>(self, readahead: R) -> Vec<u32> {
        let Self { files, newest_rows, method } = self;
        let shape = files.layout.shape();
        let cursor = Cursor::new(&shape, files.last_seconds, newest_rows);
        let now_seconds = files.last_seconds + files.layout.step_seconds();
        Recording::new(shape, cursor, method, readahead).update(now_seconds).to_vec()
    }
}

/// How many pages of each file Linux's two lists hold after some cycles.
pub(crate) fn resident(
    files: &Files,
    way: Way,
    window_kib: u64,
    cache_pages: u64,
    cycles: u64,
) -> Result<Vec<u64>, String> {
    let life = Life { files, method: way.method(), cache_pages: pages(cache_pages)?, cycles };
    match way.readahead(window_kib) {
        ReadaheadPolicy::OnDemand(pages) => life.resident(&OnDemand::new(pages)),
        ReadaheadPolicy::ReadAround(pages) => life.resident(&ReadAround::new(pages)),
        _ => life.resident(&NoReadahead),
    }
}

/// Some cycles of all files.
struct Life<'a> {
    files: &'a Files,
    method: Method,
    cache_pages: u32,
    cycles: u64,
}

impl Life<'_> {
    fn resident<R: Readahead + Clone>(self, readahead: &R) -> Result<Vec<u64>, String> {
        let fleet = fleet(self.files)?;
        let pages_of_file = self.files.layout.shape().pages();
        let cache = TwoLists::new(self.cache_pages, fleet.pages());
        let mut replay = Replay::new(fleet, cache, self.method, readahead);
        for _ in 0..self.cycles {
            replay.cycle();
            replay.cache_mut().write_back_all();
        }
        let is_resident = |file, page| replay.cache().is_resident(file * pages_of_file + page);
        let count =
            |file| (0..pages_of_file).filter(|page| is_resident(file, *page)).count() as u64;
        Ok((0..self.files.count).map(count).collect())
    }
}
