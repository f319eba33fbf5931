//! How many rows each database keeps: `RRDRowCount` and its kin.
//!
//! MRTG keeps 4,000 minutes of steps. With a step of 10 s that would be 840 kB a target and 3.7 GB
//! for all, which takes too long to write for a demo. Every target keeps what its hourly graph
//! shows. The first targets, as many as fit, also keep what the daily graph shows. The daily graphs
//! of the others are drawn from half hours.

use std::time::Duration;

/// Rows of half hours, two hours and days. A graph shows 400.
pub(super) const COARSE_ROWS: u64 = 420;
/// The 4,000 s of the hourly graph, and some more.
const HOUR_SECONDS: u64 = 4800;
/// 400 times 5 minutes of the daily graph, and some more.
const DAY_SECONDS: u64 = 121_200;

/// An upper bound of the bytes of all databases, approximately.
const BYTES_MAX: u64 = 400_000_000;
/// Bytes of a row: a double for each of two data sources, in an archive of averages and in one of
/// maxima.
const ROW_BYTES: u64 = 2 * 2 * 8;
/// Definition and live state of a database of eight archives.
const HEAD_BYTES: u64 = 2672;

/// The rows of the archive of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepRows {
    /// The rows of most targets.
    pub(super) hour: u64,
    /// The rows of the first targets.
    pub(super) day: u64,
    /// How many targets have `day` rows.
    pub(super) day_targets: u64,
}

impl StepRows {
    /// Chooses the rows for a number of targets.
    pub(super) fn new(targets: u64, interval: Duration) -> Self {
        let step_seconds = interval.as_secs();
        let (hour, day) = (HOUR_SECONDS.div_ceil(step_seconds), Self::of_a_day(interval));
        let left_bytes = BYTES_MAX.saturating_sub(targets * file_bytes(hour));
        let day_targets = left_bytes / (file_bytes(day) - file_bytes(hour));
        Self { hour, day, day_targets: day_targets.min(targets) }
    }

    /// What the daily graph shows at this interval.
    pub(super) fn of_a_day(interval: Duration) -> u64 {
        DAY_SECONDS.div_ceil(interval.as_secs())
    }
}

fn file_bytes(step_rows: u64) -> u64 {
    HEAD_BYTES + (3 * COARSE_ROWS + step_rows) * ROW_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_network_keeps_all_and_a_large_one_what_fits() {
        let interval = Duration::from_secs(10);
        let small = StepRows::new(40, interval);
        assert_eq!(small, StepRows { hour: 480, day: 12_120, day_targets: 40 });
        let large = StepRows::new(4_300, interval);
        assert!((100..1000).contains(&large.day_targets), "{large:?}");
        assert_eq!(StepRows::new(1_000_000, interval).day_targets, 0);
        assert_eq!(StepRows::new(4_300, Duration::from_secs(300)).day_targets, 4_300);
    }
}
