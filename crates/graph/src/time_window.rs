//! The time that is drawn or told.

use rrd::{Stretch, Tick};

use crate::Error;

/// The time that is drawn or told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub(crate) tick: Tick,
    pub(crate) start_seconds: i64,
    pub(crate) end_seconds: i64,
}

/// Times that are counted in fractions of a second stay so far from what a number can hold that
/// steps, windows and SHIFT may be added to them.
const TICKS_MAX: i64 = i64::MAX / 4;

impl TimeWindow {
    /// The same, counted in finer ticks; `None` where they cannot be counted so far.
    pub(crate) fn in_finer(self, tick: Tick) -> Option<Self> {
        let Self { start_seconds, end_seconds, .. } = self;
        let scaled = |time| finer(self.tick, time, tick);
        Some(Self {
            tick,
            start_seconds: scaled(start_seconds)?,
            end_seconds: scaled(end_seconds)?,
        })
    }

    /// The same in the finest ticks of some rows, in which all that is made of them is counted.
    ///
    /// # Errors
    /// The rows or the window lie too far away.
    pub(crate) fn in_ticks_of(self, fetched: &[Stretch]) -> Result<Self, Error> {
        let ticks = fetched.iter().map(|stretch| stretch.tick);
        let tick = ticks.fold(self.tick, Tick::finer);
        let is_near = |stretch: &Stretch| {
            let ends = [stretch.start_seconds, stretch.end_seconds];
            ends.iter().all(|time| finer(stretch.tick, *time, tick).is_some())
        };
        let window = self.in_finer(tick).filter(|_| fetched.iter().all(is_near));
        window.ok_or_else(|| {
            Error::Fetch(format!("a time is so far away that ticks of {tick} s do not count to it"))
        })
    }

    /// Whether a moment, in ticks, lies in it, or at one of its ends.
    pub(crate) fn contains(self, time: f64) -> bool {
        (self.start_seconds as f64..=self.end_seconds as f64).contains(&time)
    }

    pub(crate) fn span_ticks(self) -> i64 {
        self.end_seconds.saturating_sub(self.start_seconds)
    }
}

/// A time in ticks that are as fine or finer.
fn finer(from: Tick, time: i64, to: Tick) -> Option<i64> {
    if from == to {
        return Some(time);
    }
    let scaled = time.checked_mul(i64::from(to.per_second() / from.per_second()))?;
    (-TICKS_MAX..=TICKS_MAX).contains(&scaled).then_some(scaled)
}
