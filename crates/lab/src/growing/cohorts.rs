//! Databases grouped by the step at which they were added, and how many cycles they have had.

use std::ops::Range;

/// Databases by the step at which they were added.
#[derive(Debug, Default)]
pub(super) struct Cohorts {
    /// The end of each group, and its number of cycles.
    all: Vec<(u32, usize)>,
}

impl Cohorts {
    /// Adds databases; returns their range.
    pub(super) fn grow(&mut self, databases: u32) -> Range<u32> {
        let before = self.databases();
        assert!(databases >= before, "databases become more");
        self.all.push((databases, 0));
        before..databases
    }

    /// Counts a cycle for all groups.
    pub(super) fn pass_cycle(&mut self) {
        self.all.iter_mut().for_each(|(_, cycles)| *cycles += 1);
    }

    pub(super) fn databases(&self) -> u32 {
        self.all.last().map_or(0, |(end, _)| *end)
    }

    /// The databases added last, if there were others before.
    pub(super) fn newest(&self) -> Range<u32> {
        let before = self.all.len().checked_sub(2).map(|nth| self.all[nth].0);
        before.unwrap_or_else(|| self.databases())..self.databases()
    }

    /// The number of cycles of a database.
    pub(super) fn cycles_of(&self, nth: u32) -> usize {
        let cohort = self.all.partition_point(|(end, _)| *end <= nth);
        self.all[cohort].1
    }
}

/// The `part`th of `parts` parts of a range.
pub(super) fn part(of: &Range<u32>, part: u32, parts: u32) -> Range<u32> {
    let place = |nth: u32| {
        of.start + (u64::from(of.end - of.start) * u64::from(nth) / u64::from(parts)) as u32
    };
    place(part)..place(part + 1)
}

#[cfg(test)]
mod tests {
    use super::{Cohorts, part};

    #[test]
    fn each_database_has_the_age_of_its_cohort() {
        let mut cohorts = Cohorts::default();
        assert_eq!((cohorts.grow(3), cohorts.newest()), (0..3, 3..3));
        cohorts.pass_cycle();
        assert_eq!(cohorts.grow(5), 3..5);
        cohorts.pass_cycle();
        assert_eq!([0, 2, 3, 4].map(|nth| cohorts.cycles_of(nth)), [2, 2, 1, 1]);
        assert_eq!((cohorts.newest(), cohorts.databases()), (3..5, 5));
    }

    #[test]
    fn parts_are_the_whole() {
        for parts in 1..5 {
            let all: Vec<u32> = (0..parts).flat_map(|nth| part(&(3..20), nth, parts)).collect();
            assert_eq!(all, (3..20).collect::<Vec<_>>());
        }
    }
}
