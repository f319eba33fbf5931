//! What a panel shows, once its values are known.

use super::board::By;

/// The most values of a curve: more would not be seen.
pub(super) const VALUES_MAX: usize = 400;
/// The newest value is of the present if it is at most so many rows old...
const PRESENT_ROWS: f64 = 3.0;
/// ...or so many seconds: rows may be shorter than the time between two samples.
const PRESENT_SECONDS: f64 = 600.0;

/// The time that a board shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) start_seconds: i64,
    pub(super) end_seconds: i64,
}

impl Window {
    /// Its length in seconds, at least 1.
    pub(super) fn span_seconds(self) -> u64 {
        self.end_seconds.saturating_sub(self.start_seconds).max(1).unsigned_abs()
    }

    /// The step at which values are asked for, in seconds.
    pub(super) fn step_seconds(self) -> u64 {
        self.span_seconds().div_ceil(VALUES_MAX as u64)
    }
}

/// How numbers of a curve are written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: String,
    /// The meaning of `k`: 1000 or 1024.
    pub(super) kilo: f64,
}

/// A chart: one or several curves with a title in common.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    /// The page that tells more.
    pub(super) page: Option<String>,
    pub(super) curves: Vec<Curve>,
}

/// The values of one series.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) label: String,
    /// The page that tells more.
    pub(super) page: Option<String>,
    pub(super) unit: Unit,
    pub(super) points: Vec<Point>,
    /// The time between two points, where none is missing.
    pub(super) step_seconds: f64,
    pub(super) numbers: Numbers,
}

/// What the values of a curve amount to; `None` where none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    /// The newest one, if it is of the present.
    pub(super) last: Option<f64>,
    pub(super) average: Option<f64>,
    pub(super) maximum: Option<f64>,
}

/// A value; NaN is unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The end of its row, in seconds since 1970.
    pub(super) at_seconds: f64,
    pub(super) value: f64,
}

impl Curve {
    /// The number that is asked for; `None` if it is not known.
    pub(super) fn number(&self, by: By) -> Option<f64> {
        match by {
            By::Last => self.numbers.last,
            By::Maximum => self.numbers.maximum,
            By::Average => self.numbers.average,
        }
    }
}

impl Numbers {
    /// Those of rows with this step, in the present that a window ends with.
    pub(super) fn of(rows: &[Point], step_seconds: f64, window: Window) -> Self {
        let known = || rows.iter().filter(|row| row.value.is_finite());
        let oldest = window.end_seconds as f64 - PRESENT_SECONDS.max(PRESENT_ROWS * step_seconds);
        let last = known().next_back().filter(|row| row.at_seconds >= oldest);
        Self {
            last: last.map(|row| row.value),
            average: average(known().map(|row| row.value)),
            maximum: known().map(|row| row.value).reduce(f64::max),
        }
    }
}

/// How many rows become one point, so that there are at most [`VALUES_MAX`].
pub(super) fn rows_per_point(rows: usize) -> usize {
    rows.div_ceil(VALUES_MAX).max(1)
}

/// At most [`VALUES_MAX`] points: each the average of several rows that follow one another.
pub(super) fn thinned(rows: &[Point]) -> Vec<Point> {
    let of_some = |some: &[Point]| Point {
        at_seconds: some.last().map_or(0.0, |last| last.at_seconds),
        value: average(some.iter().map(|it| it.value).filter(|it| it.is_finite()))
            .unwrap_or(f64::NAN),
    };
    rows.chunks(rows_per_point(rows.len())).map(of_some).collect()
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Point, VALUES_MAX, Window, thinned};

    fn points(values: impl IntoIterator<Item = f64>) -> Vec<Point> {
        let values = values.into_iter().enumerate();
        values.map(|(nth, value)| Point { at_seconds: nth as f64 * 10.0, value }).collect()
    }

    #[test]
    fn many_points_become_averages_of_the_known_ones() {
        let many = points((0..VALUES_MAX * 2).map(|nth| if nth % 4 == 3 { f64::NAN } else { 2.0 }));
        let few = thinned(&many);
        assert_eq!(few.len(), VALUES_MAX);
        assert!(few.iter().all(|point| point.value == 2.0));
        assert_eq!(few[1].at_seconds, 30.0);
        assert_eq!(thinned(&points([1.0, 5.0])), points([1.0, 5.0]));
    }

    #[test]
    fn unknown_values_are_no_number() {
        let window = Window { start_seconds: 0, end_seconds: 1000 };
        let numbers = |values: &[f64]| Numbers::of(&points(values.iter().copied()), 10.0, window);
        let some = Numbers { last: None, average: Some(2.5), maximum: Some(4.0) };
        assert_eq!(numbers(&[1.0, 4.0, f64::NAN]), some);
        assert_eq!(numbers(&[f64::NAN]), Numbers::default());
    }

    #[test]
    fn an_old_value_is_not_told_as_the_present_one() {
        let rows = points([1.0, 4.0, f64::NAN]); // the known one is of second 10
        let last = |step_seconds, end_seconds| {
            let window = Window { start_seconds: 0, end_seconds };
            Numbers::of(&rows, step_seconds, window).last
        };
        assert_eq!((last(10.0, 610), last(10.0, 611)), (Some(4.0), None));
        assert_eq!((last(300.0, 910), last(300.0, 911)), (Some(4.0), None));
    }

    #[test]
    fn a_window_is_asked_for_in_few_rows() {
        let window = Window { start_seconds: 0, end_seconds: 86400 };
        assert_eq!(window.step_seconds(), 216);
    }
}
