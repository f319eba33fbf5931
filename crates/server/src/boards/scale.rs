//! Where the marks of axes are: round values, round times.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use super::curve::Window;

/// The most marks of the axis of values, besides the lowest.
const VALUE_MARKS: f64 = 4.0;
/// The most marks of the axis of times: a phone has room for so many.
const TIME_MARKS: u64 = 6;
/// Seconds between two marks of the axis of times.
const TIME_STEPS: [u64; 17] = [
    60,
    300,
    600,
    900,
    1800,
    3600,
    2 * 3600,
    3 * 3600,
    6 * 3600,
    12 * 3600,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    365 * DAY,
];
const DAY: u64 = 86400;

/// The axis of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueAxis {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The marks, the lowest first.
    pub(super) marks: Vec<f64>,
}

impl ValueAxis {
    /// An axis that holds zero and all these values; those that are not finite are passed over.
    /// `kilo` is 1000 or 1024.
    pub(super) fn of(values: impl Iterator<Item = f64>, kilo: f64) -> Self {
        let values = values.filter(|value| value.is_finite());
        let (low, high) = values
            .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        let step = round_step((high - low) / VALUE_MARKS, kilo);
        let (first, last) = ((low / step).floor(), (high / step).ceil().max(1.0));
        // Floating point numbers far from zero have no room for marks in between.
        let count = (last - first).clamp(1.0, 2.0 * VALUE_MARKS) as u32;
        let marks = (0..=count).map(|nth| (first + f64::from(nth)) * step);
        Self { low: first * step, high: last * step, marks: marks.collect() }
    }

    /// Where a value is: 0 is the highest, 1 the lowest place.
    pub(super) fn place(&self, value: f64) -> f64 {
        1.0 - (value - self.low) / (self.high - self.low)
    }
}

/// The least round number that is not less: 1, 2, 2.5 or 5 times a power of ten, within a power of
/// `kilo`.
fn round_step(least: f64, kilo: f64) -> f64 {
    if least <= 0.0 || !least.is_finite() {
        return 1.0;
    }
    let unit = if least >= kilo { kilo.powf(least.log(kilo).floor()) } else { 1.0 };
    let power = 10f64.powf((least / unit).log10().floor());
    let rounds = [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * power);
    let round = rounds.into_iter().find(|round| round * unit >= least * (1.0 - 1e-9));
    match round {
        // Behind 500 comes the next unit, which is not a thousand of these where `k` is 1024.
        Some(round) if round > 500.0 => kilo * unit,
        Some(round) => round * unit,
        None => least,
    }
}

/// A mark of the axis of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeMark {
    pub(super) at_seconds: i64,
    /// Where it is: 0 is the left, 1 the right end.
    pub(super) place: f64,
    /// Whether it tells a day rather than a time of day.
    pub(super) is_day: bool,
}

/// The marks of a window, at times that are round in a zone.
pub(super) fn time_marks(window: Window, zone: &TimeZone) -> Vec<TimeMark> {
    let span = window.span_seconds();
    let step = TIME_STEPS.into_iter().find(|step| span / step <= TIME_MARKS).unwrap_or(span);
    let start = Timestamp::from_second(window.start_seconds).unwrap_or_default();
    let offset_seconds = i64::from(zone.to_offset(start).seconds());
    let step_seconds = step as i64;
    let local = start.as_second().saturating_add(offset_seconds);
    let first = (local.div_euclid(step_seconds) + 1).saturating_mul(step_seconds);
    // One more than is shown: a clock that is put back makes the first one come earlier.
    let locals = (0..=TIME_MARKS as i64 + 1)
        .map(|nth| first.saturating_add(nth.saturating_mul(step_seconds)));
    let mut marks: Vec<i64> = locals.filter_map(|local| at_local(local, zone)).collect();
    // An hour that a clock leaves out has the time of the next one.
    marks.dedup();
    let marks = marks.into_iter().take_while(|at| *at < window.end_seconds);
    let mark = |at_seconds: i64| TimeMark {
        at_seconds,
        place: (at_seconds - window.start_seconds) as f64 / span as f64,
        is_day: step >= DAY,
    };
    // Words near an end would be cut off.
    marks.map(mark).filter(|mark| (0.03..=0.97).contains(&mark.place)).collect()
}

/// The time at which clocks of a zone show a time, which is given as if they were those of UTC.
fn at_local(local_seconds: i64, zone: &TimeZone) -> Option<i64> {
    let shown = Offset::UTC.to_datetime(Timestamp::from_second(local_seconds).ok()?);
    Some(zone.to_timestamp(shown).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use jiff::tz::{Offset, TimeZone};

    use super::{ValueAxis, Window, time_marks};

    #[test]
    fn an_axis_has_round_marks_and_holds_all_values() {
        let axis = |values: &[f64]| ValueAxis::of(values.iter().copied(), 1000.0);
        assert_eq!(axis(&[3.0, 87.0]).marks, [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(axis(&[-5.0, 12.0, f64::NAN]).marks, [-5.0, 0.0, 5.0, 10.0, 15.0]);
        assert_eq!(axis(&[]).marks, [0.0, 1.0]);
        assert_eq!(axis(&[f64::INFINITY]).high, 1.0);
        assert_eq!(axis(&[0.0, 87.0]).place(50.0), 0.5);
        let binary = ValueAxis::of([3.9 * 1024.0].into_iter(), 1024.0);
        assert_eq!(binary.marks, [0.0, 1024.0, 2048.0, 3072.0, 4096.0]);
        for huge in [1e308, -1e308, 1e-308, 5e-324] {
            let axis = axis(&[huge]);
            assert!((2..=9).contains(&axis.marks.len()), "{axis:?}");
        }
    }

    #[test]
    fn times_are_round_in_their_zone() {
        let zone = TimeZone::fixed(Offset::from_seconds(5 * 3600 + 1800).unwrap());
        let marks = time_marks(Window { start_seconds: 0, end_seconds: 86400 }, &zone);
        // 1970-01-01 05:30 there: the first round time is six o'clock... by steps of six hours.
        let at: Vec<i64> = marks.iter().map(|mark| mark.at_seconds).collect();
        assert!(at.iter().all(|at| (at + 5 * 3600 + 1800) % 21600 == 0), "{at:?}");
        assert!((3..=6).contains(&at.len()) && !marks[0].is_day);
        let month = Window { start_seconds: 0, end_seconds: 30 * 86400 };
        assert!(time_marks(month, &zone).iter().all(|mark| mark.is_day));
        let nothing = Window { start_seconds: 5, end_seconds: 5 };
        assert!(time_marks(nothing, &zone).len() <= 6);
        let extreme = Window { start_seconds: i64::MIN, end_seconds: i64::MAX };
        assert!(time_marks(extreme, &zone).len() <= 8);
    }

    #[test]
    fn marks_stay_round_when_clocks_are_changed() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        for changed in [1_792_890_000, 1_774_746_000] {
            // 2026-10-25 and 2026-03-29 at 01:00 UTC.
            for days in [1, 3, 7, 14] {
                let (before, behind) = (days * 86400 / 2, days * 86400 - days * 86400 / 2);
                let window =
                    Window { start_seconds: changed - before, end_seconds: changed + behind };
                let marks = time_marks(window, &zone);
                assert!(!marks.is_empty(), "{days}");
                for mark in marks {
                    let told = figures::minute(mark.at_seconds, &zone);
                    // A day is marked each six hours, three days each twelve.
                    let hours = [("00", 24), ("06", 1), ("12", 3), ("18", 1)];
                    let is_round = |(hour, most): (&str, i64)| {
                        told.ends_with(&format!(" {hour}:00")) && days <= most
                    };
                    assert!(hours.into_iter().any(is_round), "{days}: {told}");
                }
            }
        }
    }
}
