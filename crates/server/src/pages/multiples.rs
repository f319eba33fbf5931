//! Small charts, many on a page: both values of a target over a span, as paths of inline SVG.

use std::fmt::Write as _;

use maud::{Markup, html};
use rrd::Stretch;

/// The units of a chart's coordinates.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 100.0;
/// The most points of a line: more are not seen at this size.
const POINTS_MAX: usize = 134;

/// The span of time that charts show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) start_seconds: i64,
    pub(super) end_seconds: i64,
}

/// The course of both values of a target, in the units of its database.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// When each point ends.
    seconds: Vec<i64>,
    /// Of each value, at these times; unknown is no number.
    lines: [Vec<f64>; 2],
}

impl Course {
    /// The course of rows: neighbours are averaged until there are few enough. Where an unknown value
    /// counts as zero, those of rows that no archive holds stay unknown.
    pub(super) fn of(rows: &Stretch, unknown_as_zero: bool) -> Self {
        let known = |value: &f64| if unknown_as_zero && value.is_nan() { 0.0 } else { *value };
        let together = (rows.rows as usize).div_ceil(POINTS_MAX).max(1);
        let rows: Vec<_> = rows.iter().collect();
        let mut course = Self::default();
        for group in rows.chunks(together) {
            let Some((seconds, _)) = group.last() else { continue };
            course.seconds.push(*seconds);
            for (nth, line) in course.lines.iter_mut().enumerate() {
                let values =
                    group.iter().map(|(_, row)| row.and_then(|row| row.get(nth)).map(known));
                line.push(average(values.flatten()).unwrap_or(f64::NAN));
            }
        }
        course
    }

    /// The largest value of those lines that are shown; zero if none is known.
    pub(super) fn largest(&self, is_shown: [bool; 2]) -> f64 {
        let shown = self.lines.iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
        let values = shown.flat_map(|(line, _)| line).filter(|value| value.is_finite());
        values.fold(0.0, |largest, value| value.max(largest))
    }

    /// The average of a line; `None` if nothing of it is known.
    pub(super) fn average(&self, nth: usize) -> Option<f64> {
        average(self.lines.get(nth)?.iter().copied())
    }

    /// The chart, whose top is this value; `words` say what it shows.
    pub(super) fn chart(&self, shown: Shown, top: f64, is_shown: [bool; 2], words: &str) -> Markup {
        let path = |nth: usize, is_area| match is_shown.get(nth) {
            Some(true) => self.path(nth, shown, top, is_area),
            _ => String::new(),
        };
        html! {
            svg.multiple viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none"
                role="img" aria-label=(words) {
                path.rule d={ "M0 " (HEIGHT / 2.0) "H" (WIDTH) } {}
                path.area0 d=(path(0, true)) {}
                path.line0 d=(path(0, false)) {}
                path.line1 d=(path(1, false)) {}
            }
        }
    }

    /// A line, or the area below it; it is broken where nothing is known.
    fn path(&self, nth: usize, shown: Shown, top: f64, is_area: bool) -> String {
        let mut path = String::new();
        let mut run: Vec<(i64, i64)> = Vec::new();
        let values = self.lines.get(nth).map(Vec::as_slice).unwrap_or_default();
        for (seconds, value) in self.seconds.iter().zip(values) {
            match place(*seconds, *value, shown, top) {
                Some(point) => run.push(point),
                None => write_run(&mut path, &std::mem::take(&mut run), is_area),
            }
        }
        write_run(&mut path, &run, is_area);
        path
    }
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values.filter(|value| value.is_finite()) {
        (sum, count) = (sum + value, count + 1);
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// The place of a value, from the upper left corner.
fn place(seconds: i64, value: f64, shown: Shown, top: f64) -> Option<(i64, i64)> {
    let span = (shown.end_seconds - shown.start_seconds).max(1) as f64;
    let along = (seconds - shown.start_seconds) as f64 / span;
    let high = if top > 0.0 { value / top } else { 0.0 };
    (value.is_finite() && (0.0..=1.01).contains(&along)).then(|| {
        let x = (along.min(1.0) * WIDTH).round() as i64;
        (x, ((1.0 - high.clamp(0.0, 1.0)) * HEIGHT).round() as i64)
    })
}

fn write_run(path: &mut String, run: &[(i64, i64)], is_area: bool) {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
    // Writing to a text never fails.
    let _ = match is_area {
        true => write!(path, "M{} {HEIGHT}V{}", first.0, first.1),
        false => write!(path, "M{} {}", first.0, first.1),
    };
    for (from, to) in run.iter().zip(run.iter().skip(1)) {
        let _ = write!(path, "l{} {}", to.0 - from.0, to.1 - from.1);
    }
    let _ = match (is_area, run.len()) {
        (true, _) => write!(path, "L{} {HEIGHT}Z", last.0),
        (false, 1) => write!(path, "h1"), // one point alone is seen, too
        (false, _) => Ok(()),
    };
}

/// A round number that is not below a value: the top of a chart.
pub(super) fn round_top(value: f64) -> f64 {
    if value.is_nan() || value <= 0.0 {
        return 1.0;
    }
    let size = 10.0_f64.powf(value.log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
    let fitting = steps.into_iter().find(|step| step * size >= value);
    fitting.unwrap_or(10.0) * size
}

#[cfg(test)]
mod tests {
    use rrd::{Series, Stretch, UNKNOWN};

    use super::{Course, Shown, round_top};

    fn course(values: &[[f64; 2]]) -> Course {
        Course::of(&rows(values), false)
    }

    fn rows(values: &[[f64; 2]]) -> Stretch {
        let rows = Series {
            tick: rrd::Tick::SECOND,
            start_seconds: 0,
            end_seconds: 10 * values.len() as i64,
            step_seconds: 10,
            source_names: vec!["ds0".to_owned(), "ds1".to_owned()],
            values: values.concat(),
        };
        rows.into()
    }

    #[test]
    fn what_is_unknown_breaks_a_line() {
        let course = course(&[[1.0, 0.0], [2.0, 5.0], [UNKNOWN, 5.0], [4.0, UNKNOWN]]);
        let shown = Shown { start_seconds: 0, end_seconds: 40 };
        assert_eq!(course.path(0, shown, 4.0, false), "M100 75l100 -25M400 0h1");
        assert_eq!(
            course.path(0, shown, 4.0, true),
            "M100 100V75l100 -25L200 100ZM400 100V0L400 100Z"
        );
        assert_eq!((course.largest([true, true]), course.largest([true, false])), (5.0, 4.0));
        assert_eq!(course.average(0), Some(7.0 / 3.0));
        let chart = course.chart(shown, 4.0, [true, false], "<words>").into_string();
        assert!(chart.contains("&lt;words&gt;") && !chart.contains("style"));
    }

    #[test]
    fn what_is_unknown_is_zero_where_the_target_says_so() {
        let mut rows = rows(&[[4.0, 0.0], [UNKNOWN, UNKNOWN]]);
        rows.rows += 1; // the archive does not hold the last one
        let course = Course::of(&rows, true);
        assert_eq!(course.lines[0][..2], [4.0, 0.0]);
        assert!(course.lines[0][2].is_nan());
        assert_eq!(course.average(0), Some(2.0));
    }

    #[test]
    fn many_rows_become_few_points() {
        let values: Vec<[f64; 2]> = (0..400).map(|nth| [f64::from(nth), 1.0]).collect();
        let course = course(&values);
        assert_eq!(course.seconds.len(), 134);
        assert_eq!((course.lines[0][0], course.average(1)), (1.0, Some(1.0)));
    }

    #[test]
    fn tops_are_round() {
        let tops = [0.0, 0.7, 1.0, 11.0, 99.0, 260.0, 7e8].map(round_top);
        assert_eq!(tops, [1.0, 0.8, 1.0, 15.0, 100.0, 300.0, 8e8]);
        assert_eq!(round_top(f64::NAN), 1.0);
    }
}
