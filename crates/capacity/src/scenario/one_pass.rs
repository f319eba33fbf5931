//! LRU without readahead: caches of all sizes in one pass over the references.

use super::{CachePolicy, ReadaheadPolicy, Scenario};
use crate::cache::{Curve, LruSizes, StackDistances};
use crate::replay::Outcome;
use crate::trace::Fleet;

/// Whether one pass over the references gives the results for all sizes.
pub(super) fn is_one_pass(cache: CachePolicy, readahead: ReadaheadPolicy) -> bool {
    cache == CachePolicy::Lru && readahead == ReadaheadPolicy::None
}

impl Scenario {
    /// The misses of LRU without readahead for every size of the cache, from one pass, and the
    /// number of updates. Each reference counts once, however often a program reads and writes.
    /// With [`Method::Stream`](crate::replay::Method::Stream) and
    /// [`Method::Mapping`](crate::replay::Method::Mapping), [`Scenario::run`] counts two references
    /// for a write, of which the second never misses.
    #[must_use]
    pub fn curve(&self) -> (Curve, u64) {
        let mut fleet = self.fleet.clone();
        let mut distances = StackDistances::new(fleet.pages());
        let mut pass = |distances: &mut StackDistances, seconds: u64| {
            span(&mut fleet, seconds, |fleet| {
                fleet.cycle(|each| {
                    distances.access(each.page);
                });
            })
        };
        pass(&mut distances, self.warming_seconds);
        distances.restart_counts();
        let updates = pass(&mut distances, self.counted_seconds);
        (distances.curve(), updates.iter().sum())
    }

    /// The counters of caches of these sizes, ascending. After each cycle, `done` gets the number
    /// of sizes that would be finished by now if they ran one after the other.
    pub(super) fn one_pass(
        &self,
        capacities_pages: &[u32],
        mut done: impl FnMut(usize),
    ) -> Vec<Outcome> {
        let mut fleet = self.fleet.clone();
        let begun_seconds = fleet.next_turn().1;
        let all_seconds = (self.warming_seconds + self.counted_seconds).max(1);
        let groups = fleet.groups().iter();
        let data_pages: Vec<u32> = groups.map(|group| group.shape.data_pages()).collect();
        let mut sizes = LruSizes::new(capacities_pages.to_vec(), fleet.pages(), data_pages.len());
        let mut pass = |sizes: &mut LruSizes, seconds: u64| {
            span(&mut fleet, seconds, |fleet| {
                fleet.cycle(|each| {
                    let is_data = each.page_of_file < data_pages[each.group];
                    for access in self.method.accesses(each.access, is_data) {
                        sizes.access(each.page, *access, each.group);
                    }
                });
                sizes.write_back_all();
                let taken_seconds = (fleet.next_turn().1 - begun_seconds).min(all_seconds);
                let share = taken_seconds as f64 / all_seconds as f64;
                done((capacities_pages.len() as f64 * share) as usize);
            })
        };
        pass(&mut sizes, self.warming_seconds);
        sizes.restart_counts();
        let updates = pass(&mut sizes, self.counted_seconds);
        Outcome::by_size(&sizes, &updates)
    }
}

/// Simulates the cycles of `seconds`; returns the updates of each group.
fn span(fleet: &mut Fleet, seconds: u64, mut cycle: impl FnMut(&mut Fleet)) -> Vec<u64> {
    let mut updates = vec![0; fleet.groups().len()];
    let end = fleet.next_turn().1 + seconds;
    while fleet.next_turn().1 < end {
        let group = fleet.next_turn().0;
        updates[group] += u64::from(fleet.groups()[group].files);
        cycle(fleet);
    }
    updates
}
