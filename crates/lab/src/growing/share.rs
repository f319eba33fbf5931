//! The limits of a cycle, and when they are exceeded.

use serde::{Deserialize, Serialize};

use super::Turn;

/// The share of processor time beyond which the reference had little capacity left for other tasks.
const PROCESSOR_SHARE_MAX: f64 = 0.65;
/// If a window takes this many times its limit, the run is over without a second such window.
const LOST: f64 = 2.0;

/// The limits of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    /// The seconds of one cycle, until all its changes are on disk.
    pub(crate) cycle_seconds: f64,
    /// Cycles that are judged together: those between two additions, or between two writes of a
    /// journal.
    pub(crate) window_cycles: usize,
    /// The first cycles, which warm caches and are not judged.
    pub(crate) warm_cycles: usize,
    pub(crate) processors: u32,
}

/// Why a run could not continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Cycles took longer than the network's step allows.
    Time,
    /// Cycles took too much processor time.
    Processor,
    /// Memory was exhausted.
    Memory,
}

impl Broken {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Processor => "processor",
            Self::Memory => "memory",
        }
    }
}

/// Finds the window from which a run did not recover: the number of databases carried before it,
/// and the reason. A window over its limit counts if the next one is, too, or if it takes twice the
/// limit.
pub(crate) fn judged(share: Share, turns: &[Turn]) -> (u32, Option<Broken>) {
    let windows =
        turns.get(share.warm_cycles..).unwrap_or_default().chunks_exact(share.window_cycles);
    let mut carried = 0;
    let mut behind = None;
    for window in windows {
        match (share.exceeded(window), behind) {
            (None, _) => {
                carried = window.iter().map(|turn| turn.databases).min().unwrap_or(0);
                behind = None;
            }
            (Some(why), None) if share.load(window)[0] < LOST => behind = Some(why),
            (Some(why), before) => return (carried, before.or(Some(why))),
        }
    }
    (carried, None)
}

impl Share {
    /// The shares that a window took of its time and of the processors.
    pub(crate) fn load(&self, window: &[Turn]) -> [f64; 2] {
        let whole_seconds = self.cycle_seconds * window.len() as f64;
        let seconds: f64 = window.iter().map(|turn| turn.cycle.synced_seconds).sum();
        let running_seconds: f64 = window.iter().map(|turn| turn.cycle.processor_seconds).sum();
        [seconds / whole_seconds, running_seconds / (whole_seconds * f64::from(self.processors))]
    }

    fn exceeded(&self, window: &[Turn]) -> Option<Broken> {
        match self.load(window) {
            [time, _] if time > 1.0 => Some(Broken::Time),
            [_, processor] if processor > PROCESSOR_SHARE_MAX => Some(Broken::Processor),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, Share, judged};
    use crate::cycle::Cycle;
    use crate::growing::Turn;

    const SHARE: Share =
        Share { cycle_seconds: 2.0, window_cycles: 2, warm_cycles: 1, processors: 2 };

    fn turn(databases: u32, synced_seconds: f64, processor_seconds: f64) -> Turn {
        let cycle = Cycle {
            at_seconds: 0,
            pages_read: 0,
            pages_read_beside: 0,
            minor_faults: 0,
            pages_written: 0,
            processor_seconds,
            seconds: synced_seconds,
            synced_seconds,
        };
        Turn {
            databases,
            added: 0,
            added_pages_read: 0,
            kept_pages_read: 0,
            is_first: false,
            cycle,
            anonymous_bytes: 0,
        }
    }

    /// A warm-up cycle that takes long, then these: databases and seconds.
    fn lived(cycles: &[(u32, f64)]) -> Vec<Turn> {
        let rest = cycles.iter().map(|(databases, seconds)| turn(*databases, *seconds, 0.1));
        std::iter::once(turn(1, 99.0, 0.1)).chain(rest).collect()
    }

    #[test]
    fn one_long_cycle_is_made_up_for_in_its_window() {
        let turns = lived(&[(10, 3.0), (10, 0.5), (20, 1.0), (20, 1.0)]);
        assert_eq!(judged(SHARE, &turns), (20, None));
    }

    #[test]
    fn two_windows_in_a_row_break_it_and_one_alone_does_not() {
        let [good, bad] = [1.0, 2.5];
        let recovers =
            lived(&[(10, good), (10, good), (20, bad), (20, bad), (30, good), (30, good)]);
        assert_eq!(judged(SHARE, &recovers), (30, None));
        let mut breaks =
            lived(&[(10, good), (10, good), (20, bad), (20, bad), (30, bad), (30, bad)]);
        assert_eq!(judged(SHARE, &breaks), (10, Some(Broken::Time)));
        breaks.truncate(6); // the second window is not over
        assert_eq!(judged(SHARE, &breaks), (10, None));
    }

    #[test]
    fn a_window_of_twice_its_time_breaks_it_at_once() {
        let turns = lived(&[(10, 1.0), (10, 1.0), (20, 5.0), (20, 5.0)]);
        assert_eq!(judged(SHARE, &turns), (10, Some(Broken::Time)));
    }

    #[test]
    fn processors_count_all_together() {
        let busy = |seconds| [turn(10, 1.9, seconds), turn(10, 1.9, seconds)];
        assert_eq!(SHARE.exceeded(&busy(2.5)), None);
        assert_eq!(SHARE.exceeded(&busy(2.7)), Some(Broken::Processor));
    }

    #[test]
    fn of_nothing_nothing_is_judged() {
        assert_eq!(judged(SHARE, &[]), (0, None));
    }
}
