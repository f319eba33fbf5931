//! The clock of a device's engine, as its messages tell it (RFC 3414, 2.2 and 3.2).

use std::time::Duration;

/// An authentic message may be this much older than the newest one.
const WINDOW_SECONDS: u32 = 150;
/// An engine that has started this often needs new secrets: its messages are no longer valid.
const BOOTS_MAX: u32 = i32::MAX as u32;
const TIME_MAX: u32 = i32::MAX as u32;

/// What is known of an engine's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EngineClock {
    boots: u32,
    /// The newest time that the engine has told.
    time: u32,
    /// When it told that, by our clock.
    told_at: Duration,
    /// Whether an authentic message told it. A report that only names the engine is not one.
    is_authentic: bool,
}

impl EngineClock {
    /// As a message tells it that need not be authentic.
    pub(super) fn told(boots: u32, time: u32, now: Duration) -> EngineClock {
        EngineClock { boots, time, told_at: now, is_authentic: false }
    }

    /// As an authentic message tells it.
    pub(super) fn proved(boots: u32, time: u32, now: Duration) -> EngineClock {
        EngineClock { is_authentic: true, ..EngineClock::told(boots, time, now) }
    }

    pub(super) fn is_authentic(&self) -> bool {
        self.is_authentic
    }

    pub(super) fn boots(&self) -> u32 {
        self.boots
    }

    /// The engine's time now, in seconds since its last start.
    pub(super) fn time(&self, now: Duration) -> u32 {
        let passed = now.saturating_sub(self.told_at).as_secs();
        let time = u64::from(self.time).saturating_add(passed);
        u32::try_from(time).unwrap_or(TIME_MAX).min(TIME_MAX)
    }

    /// Whether an authentic message of this time is new enough to be no replay. A newer one sets
    /// the clock.
    pub(super) fn admit(&mut self, boots: u32, time: u32, now: Duration) -> bool {
        if boots >= BOOTS_MAX {
            return false;
        }
        if !self.is_authentic || (boots, time) > (self.boots, self.time) {
            *self = EngineClock::proved(boots, time, now);
            return true;
        }
        boots == self.boots && time.saturating_add(WINDOW_SECONDS) >= self.time(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_clock_goes_on_and_newer_messages_set_it() {
        let mut clock = EngineClock::proved(3, 100, at(10));
        assert_eq!(clock.time(at(70)), 160);
        assert!(clock.admit(3, 163, at(70)));
        assert_eq!((clock.boots(), clock.time(at(71))), (3, 164));
        assert!(clock.admit(4, 1, at(80)), "it has started again");
        assert_eq!((clock.boots(), clock.time(at(81))), (4, 2));
    }

    #[test]
    fn a_message_of_another_time_is_refused_and_changes_nothing() {
        let mut clock = EngineClock::proved(3, 1000, at(0));
        let before = clock;
        assert!(clock.admit(3, 850, at(0)), "150 seconds late is in time");
        assert!(!clock.admit(3, 849, at(0)));
        assert!(!clock.admit(3, 850, at(1)));
        assert!(!clock.admit(2, 5000, at(0)));
        assert!(!clock.admit(BOOTS_MAX, 5000, at(0)));
        assert_eq!(clock, before);
    }

    #[test]
    fn the_first_authentic_message_corrects_a_clock_that_anyone_may_have_told() {
        let mut clock = EngineClock::told(900, 9, at(0));
        assert!(clock.admit(3, 1000, at(5)));
        assert_eq!((clock.boots(), clock.time(at(5))), (3, 1000));
        assert!(!clock.admit(2, 1000, at(5)));
    }
}
