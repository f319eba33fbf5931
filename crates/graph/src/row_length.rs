//! How long the rows of a series are to be at least: `--step`, `step=`, or the time of a pixel.

use rrd::Tick;
use rrd::spec::Units;

use crate::time_window::TimeWindow;

/// How long rows are to be at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLength {
    /// What it is counted in.
    pub tick: Tick,
    /// How many of them.
    pub ticks: u64,
}

const MICROSECOND: Tick = match Tick::of_per_second(1_000_000) {
    Ok(tick) => tick,
    Err(_) => Tick::SECOND,
};

impl RowLength {
    /// So many seconds.
    #[must_use]
    pub const fn of_seconds(seconds: u64) -> Self {
        Self { tick: Tick::SECOND, ticks: seconds }
    }

    /// Reads digits, a point and digits: seconds with a fraction. `None` of all else.
    #[must_use]
    pub fn of_decimal(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.')?;
        let are_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        if !are_digits(whole) || !are_digits(decimals) {
            return None;
        }
        let Units { tick, step_ticks } = Units::of_step(text, None).ok()?;
        Some(Self { tick, ticks: step_ticks })
    }

    /// The time of one of so many columns: whole seconds where it is as long as one.
    pub(crate) fn of_column(window: TimeWindow, columns: u64) -> Self {
        let span_ticks = window.span_ticks().max(0);
        let columns = columns.max(1);
        let seconds = window.tick.to_floor(span_ticks, Tick::SECOND) as u64 / columns;
        if seconds > 0 {
            return Self::of_seconds(seconds);
        }
        let micros = window.tick.to_floor(span_ticks, MICROSECOND) as u64;
        Self { tick: MICROSECOND, ticks: (micros / columns).max(1) }
    }

    /// The longer of two.
    pub(crate) fn longer(self, other: Self) -> Self {
        let [own, others] = [self, other].map(|it| {
            u128::from(it.ticks) * u128::from(MICROSECOND.per_second() / it.tick.per_second())
        });
        if own < others { other } else { self }
    }

    /// The same, counted in the ticks of some rows, at least one. A fraction of a tick is dropped, as
    /// rrdtool drops that of a second: then no row is longer than a column.
    pub(crate) fn in_ticks(self, tick: Tick) -> u64 {
        let own = i64::try_from(self.ticks).unwrap_or(i64::MAX);
        (self.tick.to_floor(own, tick) as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use rrd::Tick;

    use super::{MICROSECOND, RowLength};
    use crate::time_window::TimeWindow;

    fn window(seconds: i64) -> TimeWindow {
        TimeWindow {
            tick: Tick::SECOND,
            start_seconds: 1_700_000_000,
            end_seconds: 1_700_000_000 + seconds,
        }
    }

    #[test]
    fn columns_are_whole_seconds_or_parts_of_one() {
        assert_eq!(RowLength::of_column(window(1000), 400), RowLength::of_seconds(2));
        let part = RowLength::of_column(window(10), 400);
        assert_eq!(part, RowLength { tick: MICROSECOND, ticks: 25_000 });
        let tenths = Tick::of_per_second(10).unwrap();
        assert_eq!((part.in_ticks(Tick::SECOND), part.in_ticks(tenths)), (1, 1));
        assert_eq!(RowLength::of_column(window(0), u64::MAX).ticks, 1);
    }

    #[test]
    fn decimals_are_whole_ticks() {
        let length = RowLength::of_decimal("0.15").unwrap();
        let tenths = Tick::of_per_second(10).unwrap();
        assert_eq!(length.in_ticks(tenths), 1);
        assert_eq!(length.longer(RowLength::of_seconds(1)), RowLength::of_seconds(1));
        assert_eq!(length.longer(RowLength::default()), length);
        assert_eq!(RowLength::of_decimal("300.7").unwrap().in_ticks(Tick::SECOND), 300);
        for text in ["1", "0.0", ".5", "5.", "0.1s", "0.0000001", "-0.1", "1e-1"] {
            assert_eq!(RowLength::of_decimal(text), None, "{text}");
        }
    }
}
