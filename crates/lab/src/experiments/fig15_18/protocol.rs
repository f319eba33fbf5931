//! The reference's protocol, scaled down.

use crate::growing::{Share, Step};

/// The initial targets of the reference's site, and the targets added at each step.
pub(super) const REFERENCE_TARGETS: u32 = 160_000;
const REFERENCE_STEP: u32 = 20_000;
/// The targets at the end of the reference's protocol.
const REFERENCE_END: u32 = 480_000;
/// The reference's memory for the page cache.
const REFERENCE_CACHE_BYTES: u64 = 10 << 30;
/// The time available for a cycle.
pub(super) const CYCLE_SECONDS: f64 = 300.0;
/// Cycles of a step, which lasts twenty minutes; and of an hour.
const STEP_CYCLES: u64 = 4;
pub(super) const HOUR_CYCLES: u64 = 12;
/// The factor of growth at each step after the reference's end.
const BEYOND: f64 = 1.15;

/// The factor by which memory, number of databases and time of a cycle are scaled down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale(pub(super) u32);

impl Scale {
    /// The number of the reference's targets that these databases represent.
    pub(super) fn targets(self, databases: u32) -> f64 {
        f64::from(databases) * f64::from(self.0)
    }

    pub(super) fn databases(self, targets: u32) -> u32 {
        targets / self.0
    }

    pub(super) fn cache_bytes(self) -> u64 {
        REFERENCE_CACHE_BYTES / u64::from(self.0)
    }

    /// The reference's seconds for seconds here.
    pub(super) fn seconds(self, seconds: f64) -> f64 {
        seconds * f64::from(self.0)
    }

    /// The limits of cycles. With a journal that is written once an hour, cycles are judged hour by
    /// hour, otherwise step by step.
    pub(super) fn share(self, is_hourly: bool, warm_cycles: u64, processors: u32) -> Share {
        Share {
            cycle_seconds: CYCLE_SECONDS / f64::from(self.0),
            window_cycles: if is_hourly { HOUR_CYCLES } else { STEP_CYCLES } as usize,
            warm_cycles: warm_cycles as usize,
            processors,
        }
    }

    /// The steps with `.rrd` files: cycles to warm caches, the reference's steps, and then further
    /// ones. If cycles are judged hour by hour, a further step lasts an hour.
    pub(super) fn steps(self, is_hourly: bool, warm_cycles: u64, databases_max: u32) -> Vec<Step> {
        let targets = (REFERENCE_TARGETS..=REFERENCE_END).step_by(REFERENCE_STEP as usize);
        let as_there = targets.map(|targets| self.databases(targets));
        let mut steps = with_cycles(as_there, warm_cycles, databases_max);
        let beyond = Self::beyond(self.databases(REFERENCE_END)).skip(1);
        let mut beyond = with_cycles(beyond, 0, databases_max);
        if is_hourly {
            // Extended so that an hour that has begun is complete before databases are added.
            let cycles: u64 = steps.iter().map(|step| step.cycles).sum();
            let rest = (HOUR_CYCLES - (cycles - warm_cycles) % HOUR_CYCLES) % HOUR_CYCLES;
            steps.iter_mut().next_back().into_iter().for_each(|last| last.cycles += rest);
            beyond.iter_mut().for_each(|step| step.cycles = HOUR_CYCLES);
        }
        steps.extend(beyond);
        steps
    }

    /// The steps of a store that carries far more: growth from the start.
    pub(super) fn wide_steps(self, warm_cycles: u64, databases_max: u32) -> Vec<Step> {
        with_cycles(Self::beyond(self.databases(REFERENCE_TARGETS)), warm_cycles, databases_max)
    }

    fn beyond(databases: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(databases), |it| Some((f64::from(*it) * BEYOND) as u32))
    }
}

fn with_cycles(
    databases: impl Iterator<Item = u32>,
    warm_cycles: u64,
    databases_max: u32,
) -> Vec<Step> {
    let few_enough = databases.take_while(|databases| *databases <= databases_max);
    let steps = few_enough.enumerate().map(|(nth, databases)| {
        let warm_cycles = if nth == 0 { warm_cycles } else { 0 };
        Step { databases, cycles: warm_cycles + STEP_CYCLES }
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::Scale;
    use crate::growing::Step;

    #[test]
    fn the_references_steps_are_all_there() {
        let steps = Scale(160).steps(false, 12, 4000);
        assert_eq!(steps[0], Step { databases: 1000, cycles: 16 });
        assert_eq!(steps[1], Step { databases: 1125, cycles: 4 });
        assert_eq!(steps[16], Step { databases: 3000, cycles: 4 });
        let beyond: Vec<u32> = steps[17..].iter().map(|it| it.databases).collect();
        assert_eq!(beyond, [3449, 3966]);
    }

    #[test]
    fn where_hours_are_judged_the_later_steps_are_hours() {
        let steps = Scale(160).steps(true, 12, 4000);
        let ends = steps.iter().scan(0, |end, step| {
            *end += step.cycles;
            Some(*end)
        });
        let ends: Vec<u64> = ends.collect();
        assert_eq!(ends[..2], [16, 20]);
        assert!(ends[16..].iter().all(|end| end % 12 == 0), "{ends:?}");
        assert_eq!(steps[17].cycles, 12);
    }

    #[test]
    fn memory_and_time_shrink_with_the_targets() {
        let (one, small) = (Scale(1), Scale(160));
        assert_eq!(one.cache_bytes(), 10 << 30);
        assert_eq!(small.cache_bytes(), 64 << 20);
        assert_eq!(small.databases(320_000), 2000);
        assert!((small.targets(2000) - 320_000.0).abs() < 1e-6);
        assert!((small.share(true, 12, 2).cycle_seconds - 1.875).abs() < 1e-9);
        assert_eq!(small.share(true, 12, 2).window_cycles, 12);
        assert_eq!(small.share(false, 12, 2).window_cycles, 4);
    }
}
