//! When a reading is written.

use std::time::Duration;

use rrd::Timestamp;

/// MRTG writes whole seconds. A second is nothing to intervals of minutes, and files are then
/// what MRTG would have written; of an interval of seconds it would be a large part.
const WHOLE_SECONDS_FROM: Duration = Duration::from_secs(60);

/// How times are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Seconds,
    Micros,
}

impl Precision {
    pub(super) fn of(interval: Duration) -> Self {
        if interval >= WHOLE_SECONDS_FROM { Self::Seconds } else { Self::Micros }
    }

    /// A time as it is written.
    pub(super) fn round(self, time: Timestamp) -> Timestamp {
        match self {
            Self::Seconds => Timestamp::from_seconds(time.seconds),
            Self::Micros => time,
        }
    }

    /// The last moment before a time as it is written.
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
