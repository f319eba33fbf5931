//! The simulations: a row for each number of pages, a column for each pair of policies.

use capacity::scenario::{Outcome, Scenario};

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
        let pairs: Vec<_> = wanted
            .caches
            .iter()
            .flat_map(|cache| wanted.readahead.iter().map(move |readahead| (*cache, *readahead)))
            .collect();
        let of_file = scenario.fleet.groups()[0].shape.pages();
        let all_that_differ = || (1..=of_file.min(PAGES_MAX)).collect();
        let pages = if wanted.pages.is_empty() { all_that_differ() } else { wanted.pages.clone() };
        let mut progress = Progress::new("simulate");
        let all = pages.len() * pairs.len();
        let mut rows: Vec<Row> = Vec::new();
        for pages_per_file in pages {
            let capacity = pages_per_file
                .checked_mul(wanted.files)
                .ok_or("the cache has more than 2^32 pages: simulate fewer files")?;
            let mut outcomes = Vec::new();
            for ((_, cache), (_, readahead)) in &pairs {
                progress.show(rows.len() * pairs.len() + outcomes.len(), all);
                outcomes.push(scenario.run(*cache, *readahead, capacity));
            }
            rows.push(Row { pages_per_file, outcomes });
        }
        let names = pairs.iter().map(|((cache, _), (readahead, _))| Column { cache, readahead });
        Ok(Self { columns: names.collect(), rows })
    }
}

/// Counts for each update.
pub(super) fn per_update(outcome: &Outcome, count: u64) -> f64 {
    count as f64 / outcome.updates.max(1) as f64
}
