//! What is known of a variable from one poll to the next, and whether its counter goes on.
//!
//! A difference is meaningless if the counter was reset between its two readings. Restarts of the
//! device are noticed by sysUpTime. A reset without a restart is told by ifCounterDiscontinuityTime,
//! which is asked for where a difference is doubtful: the counter went back, or gained so much that
//! it may have begun anew at zero.

use crate::interfaces::Place;
use snmp::Value;

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) place: Place,
    /// Whether the device has only the 32-bit counter.
    pub(crate) narrow: bool,
    count: Count,
    /// When the last reading was taken.
    read: Mark,
    /// When the poll in progress took its reading. A later datagram of the same poll may begin
    /// another epoch.
    taken: Mark,
    /// The highest rate of late, in counts a second; infinite if there is none.
    rate: f32,
}

/// When a reading was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of the device's discontinuities before.
    pub(crate) epoch: u32,
    /// The device's sysUpTime.
    pub(crate) ticks: u32,
}

/// A counter's reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// There is none, or it is no counter.
    None,
    Narrow(u32),
    Wide(u64),
}

/// What the device says about since when a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// It was not asked, or does not know.
    Unknown,
    /// It was asked, but no answer came in time.
    NoAnswer,
    /// Since this sysUpTime, or since its start if 0.
    Ticks(u32),
}

/// The epoch of a variable that was never read.
const UNREAD: u32 = u32::MAX;
/// An epoch that no reading has, so that the next reading is a discontinuity.
const NEVER: u32 = u32::MAX - 1;

/// A counter that gains more than this part of its value may have begun anew.
const GAIN_PART: u64 = 16;
/// So does one that is no higher than it gains in so many intervals at its highest rate of late.
const YOUNG_INTERVALS: f32 = 4.0;
/// A 32-bit counter that went back has wrapped only if its rate is then at most so many times the
/// highest of late.
const WRAP_RATE_MAX: f32 = 4.0;
/// By this factor the highest rate fades with each reading.
const FADING: f32 = 0.95;

impl Known {
    pub(crate) fn new(place: Place) -> Self {
        let read = Mark { epoch: UNREAD, ticks: 0 };
        Self { place, narrow: false, count: Count::None, read, taken: read, rate: f32::INFINITY }
    }

    /// The next reading does not continue the last one.
    pub(crate) fn break_off(&mut self) {
        if self.was_read() {
            self.read.epoch = NEVER;
        }
        self.count = Count::None;
    }

    /// Whether it has been read in an earlier poll.
    pub(crate) fn was_read(&self) -> bool {
        self.read.epoch != UNREAD
    }

    /// Whether the reading of the poll in progress was taken after `ticks` of sysUpTime; the newest is
    /// that of `now`.
    pub(crate) fn was_taken_after(&self, ticks: u32, now: Mark) -> bool {
        now.ticks.wrapping_sub(self.taken.ticks) < now.ticks.wrapping_sub(ticks)
    }

    /// The poll in progress has a reading.
    pub(crate) fn note_taken(&mut self, mark: Mark) {
        self.taken = mark;
    }

    /// Whether the device should say since when the counter counts. `table_changed` is the
    /// sysUpTime when it last made or removed an interface.
    pub(crate) fn is_doubtful(&self, value: &Value, table_changed: Option<u32>, now: Mark) -> bool {
        if self.read.epoch != now.epoch {
            // It is a discontinuity anyway, or the first reading.
            return false;
        }
        let (before, count) = match (self.count, Count::of(value)) {
            (Count::Narrow(before), Count::Narrow(count)) => (before.into(), count.into()),
            (Count::Wide(before), Count::Wide(count)) => (before, count),
            _ => return false,
        };
        let seconds = now.ticks.wrapping_sub(self.read.ticks) as f32 / 100.0;
        let jumped = is_jump(before, count)
            || count > 0 && count as f32 <= self.rate * YOUNG_INTERVALS * seconds;
        jumped || table_changed.is_some_and(|ticks| is_newer(ticks, self.read.ticks, now.ticks))
    }

    /// Takes the reading of the poll that ends. Returns whether it is a discontinuity.
    pub(crate) fn settle(&mut self, value: &Value, since: Since, now: Mark) -> bool {
        let before = std::mem::replace(&mut self.read, self.taken);
        let was = std::mem::replace(&mut self.count, Count::of(value));
        if before.epoch == UNREAD {
            return false;
        }
        if before.epoch != now.epoch {
            self.rate = f32::INFINITY;
            return true;
        }
        let seconds = self.read.ticks.wrapping_sub(before.ticks) as f32 / 100.0;
        let is_new = match since {
            Since::Unknown => false,
            Since::NoAnswer => true,
            Since::Ticks(ticks) => is_newer(ticks, before.ticks, now.ticks),
        };
        let gain = was.gain(self.count);
        let rate = gain.map_or(0.0, |gain| gain as f32) / seconds.max(0.01);
        let has_wrapped = was.is_above(self.count);
        let is_wrap_proved = matches!(since, Since::Ticks(_))
            || self.rate.is_finite() && rate <= self.rate * WRAP_RATE_MAX;
        let is_broken = is_new || gain.is_none() || has_wrapped && !is_wrap_proved;
        self.rate = match is_broken {
            true => f32::INFINITY,
            false if self.rate.is_finite() => rate.max(self.rate * FADING),
            false => rate,
        };
        is_broken
    }
}

impl Count {
    fn of(value: &Value) -> Self {
        match value {
            Value::Counter32(count) => Self::Narrow(*count),
            Value::Counter64(count) => Self::Wide(*count),
            _ => Self::None,
        }
    }

    /// What a counter gained until `now`; `None` if it is another counter. One of 64 bits takes
    /// years to wrap, so if it went back, it was reset.
    fn gain(self, now: Self) -> Option<u64> {
        match (self, now) {
            (Self::None, Self::None) => Some(0),
            (Self::Narrow(before), Self::Narrow(now)) => Some(now.wrapping_sub(before).into()),
            (Self::Wide(before), Self::Wide(now)) => now.checked_sub(before),
            _ => None,
        }
    }

    /// Whether a 32-bit counter went back.
    fn is_above(self, now: Self) -> bool {
        matches!((self, now), (Self::Narrow(before), Self::Narrow(now)) if now < before)
    }
}

fn is_jump(before: u64, now: u64) -> bool {
    now.checked_sub(before).is_none_or(|gain| gain > before / GAIN_PART)
}

/// Whether something happened at `ticks` of sysUpTime that `read`, an earlier reading, cannot know.
/// sysUpTime wraps, so ages are compared.
fn is_newer(ticks: u32, read: u32, now: u32) -> bool {
    ticks != 0 && now.wrapping_sub(ticks) <= now.wrapping_sub(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable polled every 10 s.
    struct Polled {
        known: Known,
        ticks: u32,
    }

    impl Polled {
        fn new(ticks: u32) -> Self {
            Self { known: Known::new(Place::None), ticks }
        }

        fn next(&mut self, value: Value, since: Since) -> bool {
            self.ticks = self.ticks.wrapping_add(1000);
            let mark = Mark { epoch: 0, ticks: self.ticks };
            self.known.note_taken(mark);
            self.known.settle(&value, since, mark)
        }

        fn doubts(&self, value: Value, table_changed: Option<u32>) -> bool {
            let now = Mark { epoch: 0, ticks: self.ticks.wrapping_add(1000) };
            self.known.is_doubtful(&value, table_changed, now)
        }
    }

    #[test]
    fn a_wrap_is_told_from_a_reset_by_the_rate_or_by_the_device() {
        let narrow = Value::Counter32;
        let steady = |ticks| {
            let mut polled = Polled::new(ticks);
            for step in 0..3 {
                assert!(!polled.next(narrow(u32::MAX - 20_500 + step * 10_000), Since::Unknown));
            }
            polled
        };
        assert!(!steady(0).next(narrow(9_500), Since::Unknown), "a wrap at the same rate");
        assert!(steady(0).next(narrow(90_000_000), Since::Unknown), "nine times the rate");
        assert!(!steady(0).next(narrow(90_000_000), Since::Ticks(0)), "the device knows better");
        // The device counts anew since a moment after the third reading.
        assert!(steady(0).next(narrow(9_500), Since::Ticks(3_100)));
        assert!(!steady(0).next(narrow(9_500), Since::Ticks(2_900)));
        assert!(steady(0).next(narrow(9_500), Since::NoAnswer));
        // sysUpTime wraps meanwhile.
        assert!(steady(u32::MAX - 3_500).next(narrow(9_500), Since::Ticks(100)));
        assert!(!steady(u32::MAX - 3_500).next(narrow(9_500), Since::Ticks(u32::MAX - 2_000)));
    }

    #[test]
    fn a_wide_counter_that_goes_back_or_another_counter_is_a_break() {
        let mut polled = Polled::new(0);
        assert!(!polled.next(Value::Counter64(1 << 40), Since::Unknown));
        assert!(polled.next(Value::Counter64(1 << 39), Since::Ticks(0)));
        assert!(polled.next(Value::Counter32(5), Since::Unknown));
        assert!(!polled.next(Value::Counter32(5), Since::Unknown));
    }

    #[test]
    fn the_device_is_asked_only_where_there_is_doubt() {
        let wide = Value::Counter64;
        let mut polled = Polled::new(0);
        assert!(!polled.doubts(wide(5), Some(500)), "it was never read");
        polled.next(wide(1_600), Since::Unknown);
        assert!(polled.doubts(wide(1_600), None), "its rate is not known");
        polled.next(wide(1_650), Since::Unknown);
        assert!(!polled.doubts(wide(1_750), None));
        assert!(polled.doubts(wide(1_754), None), "a sixteenth more");
        assert!(polled.doubts(wide(1_649), None));
        assert!(polled.doubts(wide(1_650), Some(2_001)), "an interface was made since");
        assert!(!polled.doubts(wide(1_650), Some(1_999)));
        assert!(polled.doubts(wide(1), None));
        assert!(!polled.doubts(Value::Gauge32(1), Some(1_001)), "no counter");
    }
}
