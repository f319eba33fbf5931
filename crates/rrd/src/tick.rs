//! The unit in which a database counts time.

use std::fmt;

use crate::Timestamp;

/// The unit in which a database counts time: a second, or a tenth of one, and so on down to a
/// microsecond. Step and heartbeats are whole ticks, and so is every moment that the arithmetic
/// sees: it calculates with ticks as it would with seconds. What is told of a second (rates, their
/// limits) stays so.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Tick {
    per_second: u32,
}

const MICROS_PER_SECOND: u32 = 1_000_000;

/// A number of ticks in a second that there is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a tick of 1, 0.1, 0.01, 0.001, 0.0001, 0.00001 or 0.000001 seconds")]
pub struct NoTick;

/// A moment between two ticks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize,
)]
#[error("the time {time} is between two ticks of {tick} s")]
pub struct BetweenTicks {
    /// The moment.
    pub time: Timestamp,
    /// The tick of the database.
    pub tick: Tick,
}

impl Tick {
    /// A second.
    pub const SECOND: Self = Self { per_second: 1 };

    /// So many in a second: a power of ten up to a million.
    ///
    /// # Errors
    /// [`NoTick`].
    pub const fn of_per_second(per_second: u32) -> Result<Self, NoTick> {
        match per_second {
            1 | 10 | 100 | 1_000 | 10_000 | 100_000 | MICROS_PER_SECOND => Ok(Self { per_second }),
            _ => Err(NoTick),
        }
    }

    /// How many a second has.
    #[must_use]
    pub const fn per_second(self) -> u32 {
        self.per_second
    }

    /// Whether it is a second, as in every `.rrd` file. Moments then keep their microseconds.
    #[must_use]
    pub const fn is_second(self) -> bool {
        self.per_second == 1
    }

    const fn micros(self) -> u32 {
        MICROS_PER_SECOND / self.per_second
    }

    /// A moment in ticks, which stand where seconds do.
    ///
    /// # Errors
    /// [`BetweenTicks`]: no moment is rounded.
    pub fn of_moment(self, time: Timestamp) -> Result<Timestamp, BetweenTicks> {
        let ticks = self.up_to(time);
        match ticks.filter(|ticks| self.moment(*ticks) == time) {
            Some(ticks) => Ok(ticks),
            None => Err(BetweenTicks { time, tick: self }),
        }
    }

    /// The last tick up to a moment; `None` where ticks cannot be counted so far.
    #[must_use]
    pub fn up_to(self, time: Timestamp) -> Option<Timestamp> {
        if self.is_second() {
            return Some(time);
        }
        let whole = time.seconds.checked_mul(self.per_second.into())?;
        whole.checked_add((time.micros / self.micros()).into()).map(Timestamp::from_seconds)
    }

    /// The moment of a tick.
    #[must_use]
    pub fn moment(self, ticks: Timestamp) -> Timestamp {
        if self.is_second() {
            return ticks;
        }
        let per_second = i64::from(self.per_second);
        let into_second = ticks.seconds.rem_euclid(per_second) as u32;
        Timestamp {
            seconds: ticks.seconds.div_euclid(per_second),
            micros: into_second * self.micros(),
        }
    }
}

/// Who counts whole seconds was to tell times of a database that does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its tick is {tick} s, and {who} counts whole seconds")]
pub struct NoWholeSeconds {
    /// The tick of the database.
    pub tick: Tick,
    /// Who counts whole seconds.
    pub who: &'static str,
}

/// Counts of other ticks.
impl Tick {
    /// Checks that times can be told by somebody who counts whole seconds.
    ///
    /// # Errors
    /// [`NoWholeSeconds`]: nothing is rounded.
    pub const fn check_whole_seconds(self, who: &'static str) -> Result<(), NoWholeSeconds> {
        if self.is_second() { Ok(()) } else { Err(NoWholeSeconds { tick: self, who }) }
    }

    /// A time that is counted in these ticks, in others: the last of them up to it.
    #[must_use]
    pub fn to_floor(self, time: i64, other: Self) -> i64 {
        let (from, to) = (i128::from(self.per_second), i128::from(other.per_second));
        clamped((i128::from(time) * to).div_euclid(from))
    }

    /// The same: the first of them from it on.
    #[must_use]
    pub fn to_ceiling(self, time: i64, other: Self) -> i64 {
        let (from, to) = (i128::from(self.per_second), i128::from(other.per_second));
        clamped(-(-i128::from(time) * to).div_euclid(from))
    }

    /// A span of these ticks, in others: the nearest, of two the longer.
    #[must_use]
    pub fn to_nearest_span(self, span: u64, other: Self) -> u64 {
        let (from, to) = (u128::from(self.per_second), u128::from(other.per_second));
        let span = (u128::from(span) * to + from / 2) / from;
        u64::try_from(span).unwrap_or(u64::MAX)
    }

    /// How many seconds a span of ticks is.
    #[must_use]
    pub fn seconds_of(self, ticks: u64) -> f64 {
        ticks as f64 / f64::from(self.per_second)
    }

    /// A time in seconds, with the digits behind the point that a tick has: `1.50`.
    #[must_use]
    pub const fn told(self, ticks: i64) -> InSeconds {
        InSeconds { ticks, tick: self }
    }

    /// The same of a span.
    #[must_use]
    pub const fn told_span(self, ticks: u64) -> InSeconds {
        self.told(ticks.cast_signed())
    }
}

fn clamped(time: i128) -> i64 {
    time.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// A count of ticks that is shown in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InSeconds {
    ticks: i64,
    tick: Tick,
}

impl InSeconds {
    /// The tick in which it is counted.
    #[must_use]
    pub const fn tick(self) -> Tick {
        self.tick
    }

    /// How many ticks.
    #[must_use]
    pub const fn ticks(self) -> i64 {
        self.ticks
    }

    /// As a number of seconds, which is not exact for every fraction.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.tick.seconds_at(self.ticks)
    }
}

/// A whole number of seconds is an integer, any other a decimal.
impl serde::Serialize for InSeconds {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.tick.is_second() {
            true => serializer.serialize_i64(self.ticks),
            false => serializer.serialize_f64(self.seconds()),
        }
    }
}

impl fmt::Display for InSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_second = u64::from(self.tick.per_second);
        if per_second == 1 {
            return self.ticks.fmt(f);
        }
        let (sign, ticks) = (if self.ticks < 0 { "-" } else { "" }, self.ticks.unsigned_abs());
        let decimals = per_second.ilog10() as usize;
        let (whole, rest) = (ticks / per_second, ticks % per_second);
        f.pad(&format!("{sign}{whole}.{rest:0decimals$}"))
    }
}

impl Default for Tick {
    fn default() -> Self {
        Self::SECOND
    }
}

impl TryFrom<u32> for Tick {
    type Error = NoTick;

    fn try_from(per_second: u32) -> Result<Self, NoTick> {
        Self::of_per_second(per_second)
    }
}

impl From<Tick> for u32 {
    fn from(tick: Tick) -> Self {
        tick.per_second
    }
}

/// Its length in seconds: `1`, `0.001`.
impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = self.per_second.ilog10() as usize;
        write!(f, "{:.decimals$}", 1.0 / f64::from(self.per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::Tick;
    use crate::Timestamp;

    #[test]
    fn moments_are_whole_ticks_or_refused() {
        let tick = Tick::of_per_second(1000).unwrap();
        let time = |seconds, micros| Timestamp { seconds, micros };
        assert_eq!(tick.of_moment(time(17, 250_000)), Ok(Timestamp::from_seconds(17_250)));
        assert_eq!(tick.moment(Timestamp::from_seconds(17_250)), time(17, 250_000));
        let error = tick.of_moment(time(17, 250_001)).unwrap_err();
        assert_eq!(error.to_string(), "the time 17.250001 is between two ticks of 0.001 s");
        assert_eq!(tick.up_to(time(17, 250_999)), Some(Timestamp::from_seconds(17_250)));
        assert!(tick.of_moment(time(i64::MAX, 0)).is_err());
        assert_eq!(Tick::SECOND.of_moment(time(17, 250_001)), Ok(time(17, 250_001)));
        assert!(Tick::of_per_second(60).is_err());
        assert_eq!(tick.to_floor(-1, Tick::SECOND), -1);
        assert_eq!(tick.to_ceiling(1_001, Tick::SECOND), 2);
        assert_eq!(Tick::SECOND.to_floor(i64::MAX, tick), i64::MAX);
        assert_eq!(tick.to_nearest_span(1_499, Tick::SECOND), 1);
        assert_eq!(tick.told(-17_025).to_string(), "-17.025");
        assert_eq!(Tick::SECOND.told(17).to_string(), "17");
        let shown = [1, 10, 1000, 1_000_000].map(|it| Tick::of_per_second(it).unwrap().to_string());
        assert_eq!(shown, ["1", "0.1", "0.001", "0.000001"]);
    }
}
