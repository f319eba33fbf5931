//! The times of readings: those of the wall clock, but never going back.
//!
//! The schedule uses the monotonic clock only; the wall clock is used to stamp readings. A database
//! that was updated at 12:00 takes no update of 11:59. So when the wall clock is set back
//!
//! - by up to [`SLEW_MAX`], stamps continue and run one part in a hundred slower until the wall
//!   clock has caught up. Rates are then wrong by a hundredth, and no reading is lost;
//! - by more, there are no stamps until it has caught up. The readings are lost, and the report
//!   says so.
//!
//! When it is set forward, stamps follow at once.

use crate::report::ClockStep;
use rrd::Timestamp;
use std::time::Duration;

/// The longest step back that is slewed. Slewing takes 100 times as long as the step.
const SLEW_MAX: Duration = Duration::from_secs(600);

/// Smaller differences are normal between clocks and not reported.
const STEP_MIN_MICROS: i64 = 500_000;

/// Stamps are slowed by at most this part of the passing time.
const SLEW_PART: i64 = 100;

/// Gives stamps that never go back.
#[derive(Debug)]
pub(crate) struct Stamper {
    /// The difference between stamps and the monotonic clock.
    offset_micros: i64,
    observed_at: Duration,
    /// How far stamps are ahead of the wall clock.
    ahead_micros: i64,
    /// The last stamp, if the wall clock is too far behind it.
    held_micros: Option<i64>,
    step: Option<ClockStep>,
}

impl Stamper {
    pub(crate) fn new(now: Duration, wall: Timestamp) -> Self {
        Self {
            offset_micros: micros_of(wall) - monotonic_micros(now),
            observed_at: now,
            ahead_micros: 0,
            held_micros: None,
            step: None,
        }
    }

    /// Compares the two clocks.
    pub(crate) fn observe(&mut self, now: Duration, wall: Timestamp) {
        let passed = now.saturating_sub(self.observed_at);
        self.observed_at = self.observed_at.max(now);
        let wall_micros = micros_of(wall);
        match self.held_micros {
            Some(held_micros) if wall_micros <= held_micros => {}
            Some(_) => {
                self.held_micros = None;
                self.restart_from(wall_micros - monotonic_micros(now));
            }
            None => self.follow(now, wall_micros, passed),
        }
    }

    /// The stamp for a time of the monotonic clock; `None` while there are no stamps.
    pub(crate) fn stamp(&self, at: Duration) -> Option<Timestamp> {
        if self.held_micros.is_some() {
            return None;
        }
        let micros = self.offset_micros + monotonic_micros(at);
        Some(Timestamp {
            seconds: micros.div_euclid(1_000_000),
            micros: micros.rem_euclid(1_000_000) as u32,
        })
    }

    /// The step of the wall clock since the last call, if any.
    pub(crate) fn take_step(&mut self) -> Option<ClockStep> {
        self.step.take()
    }

    fn follow(&mut self, now: Duration, wall_micros: i64, passed: Duration) {
        let wall_offset_micros = wall_micros - monotonic_micros(now);
        let ahead_micros = self.offset_micros - wall_offset_micros;
        let back_micros = ahead_micros - self.ahead_micros;
        let back = Duration::from_micros(back_micros.unsigned_abs());
        if ahead_micros <= 0 {
            if back_micros < -STEP_MIN_MICROS && self.ahead_micros == 0 {
                self.step = Some(ClockStep::Forward(back));
            }
            return self.restart_from(wall_offset_micros);
        }
        if ahead_micros > monotonic_micros(SLEW_MAX) {
            self.held_micros = Some(self.offset_micros + monotonic_micros(now));
            self.step = Some(ClockStep::Holding(back));
            return;
        }
        if back_micros > STEP_MIN_MICROS {
            self.step = Some(ClockStep::Slewing(back));
        }
        let slewed_micros = ahead_micros.min(monotonic_micros(passed) / SLEW_PART);
        self.offset_micros -= slewed_micros;
        self.ahead_micros = ahead_micros - slewed_micros;
    }

    fn restart_from(&mut self, wall_offset_micros: i64) {
        self.offset_micros = wall_offset_micros;
        self.ahead_micros = 0;
    }
}

pub(crate) fn micros_of(time: Timestamp) -> i64 {
    time.seconds.saturating_mul(1_000_000).saturating_add(i64::from(time.micros))
}

fn monotonic_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_SECONDS: i64 = 1_700_000_000;

    /// Runs both clocks, one second at a time, and checks that stamps never go back.
    struct Clocks {
        now: Duration,
        wall_seconds: i64,
        stamper: Stamper,
        last: Option<Timestamp>,
    }

    impl Clocks {
        fn new() -> Self {
            let wall = Timestamp::from_seconds(START_SECONDS);
            Self {
                now: Duration::ZERO,
                wall_seconds: START_SECONDS,
                stamper: Stamper::new(Duration::ZERO, wall),
                last: None,
            }
        }

        fn run(&mut self, seconds: u32) -> Option<Timestamp> {
            for _ in 0..seconds {
                self.now += Duration::from_secs(1);
                self.wall_seconds += 1;
                let wall = Timestamp::from_seconds(self.wall_seconds);
                self.stamper.observe(self.now, wall);
                let stamp = self.stamper.stamp(self.now);
                assert!(stamp.is_none() || stamp > self.last, "{stamp:?} after {:?}", self.last);
                self.last = stamp.or(self.last);
            }
            self.stamper.stamp(self.now)
        }
    }

    #[test]
    fn a_small_step_back_is_slewed_and_caught_up() {
        let mut clocks = Clocks::new();
        clocks.run(10);
        clocks.wall_seconds -= 5;
        let stamp = clocks.run(1).unwrap();
        assert_eq!(stamp.seconds, START_SECONDS + 10);
        assert!(matches!(clocks.stamper.take_step(), Some(ClockStep::Slewing(_))));
        let stamp = clocks.run(1000).unwrap();
        assert_eq!(stamp, Timestamp::from_seconds(clocks.wall_seconds));
        assert_eq!(clocks.stamper.take_step(), None);
    }

    #[test]
    fn a_large_step_back_holds_stamps_until_the_clock_has_caught_up() {
        let mut clocks = Clocks::new();
        clocks.run(10);
        clocks.wall_seconds -= 3600;
        assert_eq!(clocks.run(1), None);
        assert!(matches!(clocks.stamper.take_step(), Some(ClockStep::Holding(_))));
        assert_eq!(clocks.run(3590), None);
        let stamp = clocks.run(20).unwrap();
        assert_eq!(stamp, Timestamp::from_seconds(clocks.wall_seconds));
    }

    #[test]
    fn a_step_forward_is_followed_and_told() {
        let mut clocks = Clocks::new();
        clocks.run(10);
        clocks.wall_seconds += 100;
        let stamp = clocks.run(1).unwrap();
        assert_eq!(stamp, Timestamp::from_seconds(clocks.wall_seconds));
        let expected = ClockStep::Forward(Duration::from_secs(100));
        assert_eq!(clocks.stamper.take_step(), Some(expected));
    }
}
