//! The precision of the times of samples.

use mrtg::Interval;
use rrd::Timestamp;

/// From this interval on, times are rounded to whole seconds as MRTG does, so that files are what
/// MRTG would have written. At intervals of seconds, the rounding would be a large error.
const WHOLE_SECONDS_FROM_SECONDS: u64 = 60;

/// The precision of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Seconds,
    Micros,
}

impl Precision {
    pub(super) fn of(interval: Interval) -> Self {
        match interval.step_seconds() >= WHOLE_SECONDS_FROM_SECONDS {
            true => Self::Seconds,
            false => Self::Micros,
        }
    }

    /// Rounds a time to this precision.
    pub(super) fn round(self, time: Timestamp) -> Timestamp {
        match self {
            Self::Seconds => Timestamp::from_seconds(time.seconds),
            Self::Micros => time,
        }
    }

    /// The last representable time before a time.
    pub(super) fn just_before(self, time: Timestamp) -> Timestamp {
        match (self, time.micros.checked_sub(1)) {
            (Self::Seconds, _) => Timestamp { seconds: time.seconds - 1, ..time },
            (Self::Micros, Some(micros)) => Timestamp { micros, ..time },
            (Self::Micros, None) => Timestamp { seconds: time.seconds - 1, micros: 999_999 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moment_before_is_a_step_of_the_precision_earlier() {
        let time = Timestamp { seconds: 100, micros: 0 };
        let before = |precision: Precision| precision.just_before(precision.round(time));
        assert_eq!(before(Precision::Seconds), Timestamp::from_seconds(99));
        assert_eq!(before(Precision::Micros), Timestamp { seconds: 99, micros: 999_999 });
        let later = Timestamp { seconds: 100, micros: 7 };
        assert_eq!(Precision::Seconds.round(later), time);
        assert_eq!(Precision::Micros.just_before(later).micros, 6);
    }
}
