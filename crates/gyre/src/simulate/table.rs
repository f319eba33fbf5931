//! The table of simulations: a column for each pair of policies, and in it an outcome for each
//! number of pages.

use capacity::replay::Outcome;
use capacity::scenario::{CachePolicy, ReadaheadPolicy, Scenario};

use super::arguments::Wanted;
use super::failure::Failure;
use crate::progress::Progress;

/// The largest number of pages for each file, if no list is given; beyond it, results hardly
/// change.
const PAGES_MAX: u32 = 64;

/// The results.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The rows.
    pub(super) pages_per_file: Vec<u32>,
    pub(super) columns: Vec<Column>,
}

/// A pair of policies with their names, and an outcome for each row.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) cache: &'static str,
    pub(super) readahead: &'static str,
    pub(super) outcomes: Vec<Outcome>,
}

impl Table {
    pub(super) fn simulate(wanted: &Wanted, scenario: &Scenario) -> Result<Self, Failure> {
        let of_group = scenario.fleet.groups().iter().map(|group| group.shape.pages());
        let pages_per_file = pages(wanted, of_group.max().unwrap_or(1));
        let capacities = capacities(&pages_per_file, scenario.fleet.files())?;
        let pairs = pairs(wanted);
        let (all, mut progress) = (pairs.len() * capacities.len(), Progress::new("simulate"));
        let column = |(nth, pair): (usize, &Pair)| {
            let done = |sizes| progress.show(nth * capacities.len() + sizes, all);
            Column::new(pair, scenario.run_sizes(pair.0.1, pair.1.1, &capacities, done))
        };
        let columns = pairs.iter().enumerate().map(column).collect();
        Ok(Self { pages_per_file, columns })
    }

    /// The number of groups.
    pub(super) fn groups(&self) -> usize {
        let outcomes = self.columns.iter().flat_map(|column| &column.outcomes);
        outcomes.map(|outcome| outcome.groups.len()).max().unwrap_or(0)
    }
}

impl Column {
    pub(super) fn new(pair: &Pair, outcomes: Vec<Outcome>) -> Self {
        let ((cache, _), (readahead, _)) = *pair;
        Self { cache, readahead, outcomes }
    }
}

/// A cache and a readahead policy, each with its name.
pub(super) type Pair = ((&'static str, CachePolicy), (&'static str, ReadaheadPolicy));

/// Every pair of policies that the options ask for.
pub(super) fn pairs(wanted: &Wanted) -> Vec<Pair> {
    let with = |cache| wanted.readahead.iter().map(move |readahead| (cache, *readahead));
    wanted.caches.iter().copied().flat_map(with).collect()
}

/// The rows: the numbers that were asked for, or all that make a difference.
pub(super) fn pages(wanted: &Wanted, pages_of_file: u32) -> Vec<u32> {
    match wanted.pages[..] {
        [] => (1..=pages_of_file.min(PAGES_MAX)).collect(),
        _ => wanted.pages.clone(),
    }
}

/// Pages of the cache for all files together, for each row.
pub(super) fn capacities(pages_per_file: &[u32], files: u64) -> Result<Vec<u32>, Failure> {
    let capacity = |pages: &u32| u32::try_from(u64::from(*pages).checked_mul(files)?).ok();
    let capacities = pages_per_file.iter().map(capacity).collect::<Option<_>>();
    capacities.ok_or(Failure::CachePages)
}

/// A count for each update.
pub(super) fn per_update(updates: u64, count: u64) -> f64 {
    count as f64 / updates.max(1) as f64
}
