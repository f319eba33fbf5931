//! The simulations: a row for each number of pages, a column for each pair of policies.

use capacity::scenario::{CachePolicy, Outcome, ReadaheadPolicy, Scenario};

use super::arguments::Wanted;
use crate::progress::Progress;

/// Without a list of them, pages for each file go up to here: past it little changes.
const PAGES_MAX: u32 = 64;

/// What was simulated.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
}

/// A pair of policies by their names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) cache: &'static str,
    pub(super) readahead: &'static str,
}

/// One number of pages.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) pages_per_file: u32,
    pub(super) outcomes: Vec<Outcome>,
}

impl Table {
    pub(super) fn simulate(wanted: &Wanted, scenario: &Scenario) -> Result<Self, String> {
        let pairs = pairs(wanted);
        let pages = pages(wanted, scenario.fleet.groups()[0].shape.pages());
        let mut progress = Progress::new("simulate");
        let all = pages.len() * pairs.len();
        let mut rows: Vec<Row> = Vec::new();
        for pages_per_file in pages {
            let capacity = capacity(pages_per_file, wanted.files)?;
            let mut outcomes = Vec::new();
            for ((_, cache), (_, readahead)) in &pairs {
                progress.show(rows.len() * pairs.len() + outcomes.len(), all);
                outcomes.push(scenario.run(*cache, *readahead, capacity));
            }
            rows.push(Row { pages_per_file, outcomes });
        }
        Ok(Self { columns: columns(&pairs), rows })
    }
}

/// A cache and a readahead policy, each with its name.
pub(super) type Pair = ((&'static str, CachePolicy), (&'static str, ReadaheadPolicy));

/// Every pair that is wanted.
pub(super) fn pairs(wanted: &Wanted) -> Vec<Pair> {
    let with = |cache| wanted.readahead.iter().map(move |readahead| (cache, *readahead));
    wanted.caches.iter().copied().flat_map(with).collect()
}

pub(super) fn columns(pairs: &[Pair]) -> Vec<Column> {
    pairs.iter().map(|((cache, _), (readahead, _))| Column { cache, readahead }).collect()
}

/// The rows: what is wanted, or all that differ.
pub(super) fn pages(wanted: &Wanted, pages_of_file: u32) -> Vec<u32> {
    match wanted.pages[..] {
        [] => (1..=pages_of_file.min(PAGES_MAX)).collect(),
        _ => wanted.pages.clone(),
    }
}

/// Pages of the cache for all files together.
pub(super) fn capacity(pages_per_file: u32, files: u32) -> Result<u32, String> {
    let pages = pages_per_file.checked_mul(files);
    pages.ok_or_else(|| "the cache has more than 2^32 pages: simulate fewer files".into())
}

/// Counts for each update.
pub(super) fn per_update(outcome: &Outcome, count: u64) -> f64 {
    count as f64 / outcome.updates.max(1) as f64
}
