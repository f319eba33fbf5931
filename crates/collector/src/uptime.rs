//! Detects restarts of a device by comparing sysUpTime with our own clock.
//!
//! sysUpTime counts hundredths of a second in 32 bits, so it also returns to zero every 497 days
//! without a restart. Such a wrap is told from a restart because it happens when our clock says
//! that it is due.

use std::time::Duration;

/// How many ticks the two clocks may differ without a restart: answers may be slow, and some agents
/// refresh sysUpTime only now and then.
const SLACK_TICKS: u64 = 10 * 100;

/// The same for a device whose uptime may be shorter than the time between the two answers, and of
/// that time, one part in so many.
const YOUNG_SLACK_TICKS: u64 = 50;
const YOUNG_SLACK_PART: u64 = 50;

/// A value of sysUpTime and when it was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uptime {
    pub(crate) ticks: u32,
    /// When the answer arrived, on the monotonic clock.
    pub(crate) at: Duration,
}

impl Uptime {
    /// Whether `other`, which was asked for at `asked_at`, before this one arrived, tells a time that
    /// is only as much earlier as the two may lie apart.
    pub(crate) fn is_overtaken_by(self, other: Self, asked_at: Duration) -> bool {
        let apart = self.at.saturating_sub(asked_at);
        let apart_ticks = (apart.as_millis() / 10) as u64 + 1;
        let earlier_ticks = u64::from(self.ticks.wrapping_sub(other.ticks));
        !apart.is_zero() && (1..=apart_ticks).contains(&earlier_ticks)
    }

    /// Whether the device has restarted between `self` and `now`.
    pub(crate) fn restarted_before(self, now: Self) -> bool {
        let elapsed_ticks = now.at.saturating_sub(self.at).as_millis() as u64 / 10;
        // Plus a tenth, for inaccurate clocks.
        let slack_ticks = SLACK_TICKS + elapsed_ticks / 10;
        let expected_ticks = u64::from(self.ticks) + elapsed_ticks;
        let (before, now_ticks) = (u64::from(self.ticks), u64::from(now.ticks));
        if now_ticks >= before {
            // sysUpTime did not go back. But a device that was down for longer than it had been up
            // before has also restarted: its uptime is at most the time between the two answers. One
            // that had just started at the first answer cannot be told from it: a gap then costs
            // little, but a counter that started again at zero would be taken for a wrap.
            let slack_ticks = YOUNG_SLACK_TICKS + elapsed_ticks / YOUNG_SLACK_PART;
            return now_ticks <= elapsed_ticks + slack_ticks;
        }
        let wrapped_ticks = now_ticks + (1 << 32);
        wrapped_ticks.abs_diff(expected_ticks) > slack_ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_TICKS: u32 = 8_640_000;

    fn restarted(before_ticks: u32, elapsed_seconds: u64, now_ticks: u32) -> bool {
        let at = Duration::from_secs(1000);
        let before = Uptime { ticks: before_ticks, at };
        before.restarted_before(Uptime {
            ticks: now_ticks,
            at: at + Duration::from_secs(elapsed_seconds),
        })
    }

    #[test]
    fn of_two_requests_on_their_way_the_later_answer_may_tell_the_earlier_time() {
        let at = Duration::from_millis;
        let newest = Uptime { ticks: 5_020, at: at(10_300) };
        let late = |ticks| Uptime { ticks, at: at(10_400) };
        assert!(newest.is_overtaken_by(late(5_000), at(10_000)));
        // So much earlier is no answer of this time, and one asked for later is not earlier.
        assert!(!newest.is_overtaken_by(late(4_900), at(10_000)));
        assert!(!newest.is_overtaken_by(late(5_000), at(10_300)));
        assert!(!newest.is_overtaken_by(late(5_020), at(10_000)));
    }

    #[test]
    fn a_device_that_goes_on_has_not_restarted() {
        assert!(!restarted(DAY_TICKS, 300, DAY_TICKS + 30_000));
        assert!(!restarted(DAY_TICKS, 1, DAY_TICKS + 100));
        // A clock that loses a minute an hour.
        assert!(!restarted(DAY_TICKS, 3600, DAY_TICKS + 354_000));
        // One that is young, and a clock that loses a second a minute.
        assert!(!restarted(3_000, 60, 8_900));
        // An agent that refreshes sysUpTime every few seconds.
        assert!(!restarted(DAY_TICKS, 1, DAY_TICKS));
    }

    #[test]
    fn one_that_goes_back_has() {
        assert!(restarted(DAY_TICKS, 300, 12_000));
        assert!(restarted(1_000, 1, 50));
        // Up for 300 days, where a signed 32-bit difference would not see a step back.
        assert!(restarted(300 * DAY_TICKS, 300, 12_000));
    }

    #[test]
    fn one_that_was_down_for_longer_than_it_had_been_up_has() {
        assert!(restarted(6_000, 600, 9_000));
        // The same uptime at both polls.
        assert!(restarted(819, 10, 819));
        assert!(!restarted(6_000, 600, 66_000));
        // It started a second before the first answer, and perhaps once more after it.
        assert!(restarted(100, 10, 990));
        assert!(restarted(50, 10, 1_050));
        assert!(!restarted(100, 10, 1_100));
    }

    #[test]
    fn the_wrap_after_497_days_is_no_restart() {
        assert!(!restarted(u32::MAX - 10_000, 300, 20_000));
        assert!(!restarted(u32::MAX, 1, 99));
        // The same value, but far from the time at which the wrap is due.
        assert!(restarted(u32::MAX - 10_000_000, 300, 20_000));
    }
}
