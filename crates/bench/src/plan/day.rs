//! Extrapolates the simulated cycles to the mean of a day.
//!
//! Most archives get a row every half hour, every two hours, or only at 00:00 UTC. Cycles in which
//! the same archives get rows are of one kind. Each kind is averaged, and weighted by its number in
//! a day.

use std::collections::BTreeMap;

use super::worker::Turn;
use crate::workload::{DAY_CYCLES, STEP_SECONDS, cycle_seconds};

/// Steps of a row, for the archives that do not get one in each step.
const ROW_STEPS: [i64; 3] = [6, 24, 288];

/// The number of rows for each of these archives.
type Kind = [i64; ROW_STEPS.len()];

/// The kind of the samples written in a cycle, which cover `span_cycles` cycles.
fn kind(cycle: u64, span_cycles: u64) -> Kind {
    let end = cycle_seconds(cycle) / STEP_SECONDS;
    ROW_STEPS.map(|steps| end.div_euclid(steps) - (end - span_cycles as i64).div_euclid(steps))
}

/// The mean over a day of a figure of each cycle. Kinds that did not occur are left out.
pub(super) fn mean(turns: &[Turn], span_cycles: u64, of: impl Fn(&Turn) -> f64) -> f64 {
    let mut seen: BTreeMap<Kind, (f64, f64)> = BTreeMap::new();
    for turn in turns {
        let (sum, count) = seen.entry(kind(turn.cycle, span_cycles)).or_default();
        *sum += of(turn);
        *count += 1.0;
    }
    let first = turns.first().map_or(DAY_CYCLES, |turn| turn.cycle);
    let (mut sum, mut count) = (0.0, 0.0);
    for cycle in first..first + DAY_CYCLES {
        if let Some((of_kind, turns)) = seen.get(&kind(cycle, span_cycles)) {
            sum += of_kind / turns;
            count += 1.0;
        }
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::{Turn, kind, mean};
    use crate::workload::around_midnight;

    fn turns(cycles: u64, page_ins: impl Fn(u64) -> u64) -> Vec<Turn> {
        let first = around_midnight(cycles);
        let turn = |cycle| Turn {
            cycle,
            seconds: 0.0,
            page_ins: page_ins(cycle),
            written_bytes: 0,
            anonymous_bytes: 0,
        };
        (first..first + cycles).map(turn).collect()
    }

    #[test]
    fn a_midnight_counts_once_a_day() {
        let is_midnight = |cycle| u64::from(kind(cycle, 1)[2] > 0);
        let seen = turns(48, |cycle| 288 * is_midnight(cycle));
        assert!((mean(&seen, 1, |turn| turn.page_ins as f64) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_all_cycles_do_is_its_own_mean() {
        let seen = turns(7, |_| 5);
        assert!((mean(&seen, 12, |turn| turn.page_ins as f64) - 5.0).abs() < 1e-9);
    }
}
