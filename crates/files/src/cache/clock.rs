//! The time: seconds since the cache was opened, and the wall clock beside them.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant, SystemTime};

/// Seconds since the cache was opened.
pub(super) type Second = u32;

/// Tells the time.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    start: Instant,
    /// Chance that is the same for a place as long as the process lives.
    chance: RandomState,
}

/// A time of the wall clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallTime {
    /// Since 1970.
    seconds: i64,
    /// By a clock that cannot be set.
    steady_seconds: i64,
}

/// Rounding, and a clock that is slowed down or hurried.
const UNSTEADY_SECONDS: i64 = 2;

impl WallTime {
    /// Since 1970.
    pub(super) fn seconds(&self) -> i64 {
        self.seconds
    }

    fn is_steady_since(&self, then: &Self) -> bool {
        let passed = self.seconds - then.seconds;
        passed.abs_diff(self.steady_seconds - then.steady_seconds)
            <= UNSTEADY_SECONDS.cast_unsigned()
    }
}

impl Clock {
    #[allow(clippy::disallowed_methods)] // files are written as time passes, whether or not there are calls
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), chance: RandomState::new() }
    }

    pub(super) fn now(&self) -> Second {
        self.start.elapsed().as_secs() as Second
    }

    /// How long it is until a second begins.
    pub(super) fn until(&self, second: Second) -> Duration {
        Duration::from_secs(second.into()).saturating_sub(self.start.elapsed())
    }

    /// The time of the wall clock, with the time of this clock beside it.
    #[allow(clippy::disallowed_methods)] // held against the times that file systems note
    pub(super) fn wall_time(&self) -> WallTime {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since_1970.map_or(0, |it| it.as_secs().cast_signed());
        WallTime { seconds, steady_seconds: self.start.elapsed().as_secs().cast_signed() }
    }

    /// Whether the wall clock went as fast as this clock since a time: it was not set.
    pub(super) fn ran_steadily_since(&self, then: &WallTime) -> bool {
        self.wall_time().is_steady_since(then)
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self, what: impl std::hash::Hash) -> f64 {
        self.chance.hash_one(what) as f64 / u64::MAX as f64
    }
}

#[cfg(test)]
mod tests {
    use super::WallTime;

    #[test]
    fn a_clock_that_was_set_is_noticed() {
        let time = |seconds, steady_seconds| WallTime { seconds, steady_seconds };
        let then = time(1_000_000, 50);
        assert!(time(1_000_600, 650).is_steady_since(&then));
        assert!(time(1_000_601, 650).is_steady_since(&then));
        assert!(!time(1_000_610, 650).is_steady_since(&then));
        assert!(!time(999_000, 650).is_steady_since(&then));
    }
}
