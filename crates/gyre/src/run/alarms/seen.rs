//! What a sample says of the limits of its target, and until when it holds.

use jiff::{SignedDuration, Timestamp};
use thresholds::Verdict;
use thresholds::alerts::Seen;

use super::concern::Sampled;

/// An alert that is not confirmed ends after so many intervals, as one of Prometheus does.
const INTERVALS: i64 = 4;
/// The shortest interval that counts there.
const INTERVAL_SECONDS_MIN: u64 = 60;

/// What a sample says; `None` if its time is none.
pub(super) fn seen<'v>(sample: &Sampled, verdicts: &'v [Verdict<'v>]) -> Option<Seen<'v>> {
    let target = sample.concern.target();
    let nanoseconds = sample.time.micros as i32 * 1000;
    let at = Timestamp::new(sample.time.seconds, nanoseconds).ok()?;
    let seconds = target.settings.interval.step_seconds().max(INTERVAL_SECONDS_MIN);
    let valid = SignedDuration::from_secs(seconds as i64 * INTERVALS);
    let until = at.checked_add(valid).ok()?;
    Some(Seen { verdicts, at, until })
}
