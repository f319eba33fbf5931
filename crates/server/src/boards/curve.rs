//! What a panel shows, once its values are known.

use rrd::Stretch;

use super::board::By;

/// The most values of a curve: more would not be seen.
pub(super) const VALUES_MAX: usize = 400;

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
}

/// A value; NaN is unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The end of its row, in seconds since 1970.
    pub(super) at_seconds: f64,
    pub(super) value: f64,
}

impl Curve {
    /// The number of the known values that is asked for; `None` if none is known.
    pub(super) fn number(&self, by: By) -> Option<f64> {
        let mut known = self.points.iter().map(|point| point.value).filter(|it| it.is_finite());
        match by {
            By::Last => known.next_back(),
            By::Maximum => known.reduce(f64::max),
            By::Average => average(known),
        }
    }
}

/// The points of one column of rows, times a factor.
pub(super) fn points_of(rows: &Stretch, column: usize, factor: f64) -> Vec<Point> {
    let points = rows.iter().map(|(ticks, row)| Point {
        at_seconds: rows.tick.seconds_of(1) * ticks as f64,
        value: row.and_then(|row| row.get(column)).map_or(f64::NAN, |value| value * factor),
    });
    thinned(&points.collect::<Vec<_>>())
}

/// At most [`VALUES_MAX`] points: each the average of several that follow one another.
pub(super) fn thinned(points: &[Point]) -> Vec<Point> {
    let together = points.len().div_ceil(VALUES_MAX).max(1);
    let of_some = |some: &[Point]| Point {
        at_seconds: some.last().map_or(0.0, |last| last.at_seconds),
        value: average(some.iter().map(|it| it.value).filter(|it| it.is_finite()))
            .unwrap_or(f64::NAN),
    };
    points.chunks(together).map(of_some).collect()
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::super::board::By;
    use super::{Curve, Point, Unit, VALUES_MAX, Window, thinned};

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
        let unit = Unit { name: String::new(), kilo: 1000.0 };
        let curve = |values: &[f64]| Curve {
            label: String::new(),
            page: None,
            unit: unit.clone(),
            points: points(values.iter().copied()),
        };
        let some = curve(&[1.0, 4.0, f64::NAN]);
        assert_eq!(some.number(By::Last), Some(4.0));
        assert_eq!(some.number(By::Average), Some(2.5));
        assert_eq!(some.number(By::Maximum), Some(4.0));
        assert_eq!(curve(&[f64::NAN]).number(By::Last), None);
    }

    #[test]
    fn a_window_is_asked_for_in_few_rows() {
        let window = Window { start_seconds: 0, end_seconds: 86400 };
        assert_eq!(window.step_seconds(), 216);
    }
}
