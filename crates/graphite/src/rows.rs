//! Series of a source as the language takes them.

use series::{Labels, METRIC_NAME, Rows, Selected, SelectedPath};

use crate::aggregation::Aggregation;
use crate::function::Context;
use crate::time_series::{Steps, TimeSeries, tags_of};

const SECOND_MICROS: i64 = 1_000_000;

/// A series by its path; `None` if it is gone by now.
pub(crate) fn by_path(
    selected: SelectedPath,
    pattern: &str,
    context: &Context,
) -> Option<TimeSeries> {
    let SelectedPath { path, labels, rows, .. } = selected;
    let mut series = in_seconds(path, rows, context)?;
    for label in labels.iter().filter(|it| &*it.name != METRIC_NAME) {
        series.tag(&label.name, &label.value);
    }
    pattern.clone_into(&mut series.path);
    Some(series)
}

/// A series by its tags, which are its name too; `None` if it is gone by now.
pub(crate) fn by_tags(
    selected: Selected,
    expression: &str,
    context: &Context,
) -> Option<TimeSeries> {
    let mut series = in_seconds(tagged_name(&selected.labels), selected.rows, context)?;
    series.tags = tags_of(&series.name);
    expression.clone_into(&mut series.path);
    Some(series)
}

/// `disk.used;rack=b;server=a`.
pub(crate) fn tagged_name(labels: &Labels) -> String {
    let mut name = labels.metric_name().to_owned();
    for label in labels.iter().filter(|it| &*it.name != METRIC_NAME) {
        name.extend([";", &label.name, "=", &label.value]);
    }
    name
}

/// Rows at steps of whole seconds: Graphite knows no others. Finer rows become averages of the
/// fewest whole seconds that hold a whole count of them.
fn in_seconds(name: String, rows: Rows, context: &Context) -> Option<TimeSeries> {
    if rows.step_micros < 1 {
        return None;
    }
    let count = SECOND_MICROS / greatest_common_divisor(rows.step_micros, SECOND_MICROS);
    let length_micros = rows.step_micros.checked_mul(count)?;
    let step = length_micros / SECOND_MICROS;
    let start = match rows.values.is_empty() {
        // Nothing is held: all steps up to the end are unknown.
        true => context.end - context.end.rem_euclid(step),
        false if count == 1 => rows.start_micros.div_euclid(SECOND_MICROS),
        false => rows.start_micros.div_euclid(length_micros) * step,
    };
    let values = if count == 1 { rows.values } else { coarser(&rows, count) };
    let end = start.checked_add(step.checked_mul(values.len() as i64)?)?;
    Some(TimeSeries::new(name, Steps { start, end, step }, values, context.x_files_factor))
}

/// Unknown steps around a series, up to the ends of the request. A database may be younger, and may
/// not have been updated since: all series of a request begin in the step in which it begins, for
/// functions join them by their rows, and end with the last step that ends within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    pub(crate) before: u64,
    pub(crate) behind: u64,
}

impl Around {
    pub(crate) fn of(series: &TimeSeries, context: &Context) -> Self {
        let step = series.step as u64;
        let before = series.start.saturating_sub(context.start).max(0) as u64;
        let behind = context.end.saturating_sub(series.end).max(0) as u64;
        Self { before: before.div_ceil(step), behind: behind / step }
    }

    pub(crate) fn add_to(self, series: &mut TimeSeries) {
        let unknown = |steps| std::iter::repeat_n(f64::NAN, usize::try_from(steps).unwrap_or(0));
        series.values.splice(0..0, unknown(self.before));
        series.values.extend(unknown(self.behind));
        series.start -= self.before as i64 * series.step;
        series.end += self.behind as i64 * series.step;
    }
}

/// Averages of so many rows, which begin at multiples of their length.
fn coarser(rows: &Rows, count: i64) -> Vec<f64> {
    let length = rows.step_micros * count;
    let before = rows.start_micros.rem_euclid(length) / rows.step_micros;
    let first = ((count - before) % count) as usize;
    let (head, tail) = rows.values.split_at(first.min(rows.values.len()));
    let average = |it: &[f64]| Aggregation::Average.of(it);
    let head = (!head.is_empty()).then(|| average(head));
    head.into_iter().chain(tail.chunks(count as usize).map(average)).collect()
}

fn greatest_common_divisor(mut one: i64, mut other: i64) -> i64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        Context {
            start: 1000,
            end: 1010,
            x_files_factor: 0.0,
            preferred: series::Preferred::Named,
            stacks: Default::default(),
        }
    }

    fn series_of(rows: Rows) -> Option<TimeSeries> {
        let mut series = in_seconds("a".into(), rows, &context())?;
        Around::of(&series, &context()).add_to(&mut series);
        Some(series)
    }

    #[test]
    fn finer_rows_become_whole_seconds() {
        let values: Vec<f64> = (0..11).map(f64::from).collect();
        let rows = Rows { start_micros: 999_600_000, step_micros: 400_000, values };
        let series = series_of(rows).unwrap();
        assert_eq!(series.steps(), Steps { start: 998, end: 1010, step: 2 });
        assert_eq!(series.values[..3], [0.0, 3.0, 8.0]);
        assert!(series.values.len() == 6 && series.values[3..].iter().all(|it| it.is_nan()));
    }

    #[test]
    fn a_younger_series_begins_with_unknown_steps() {
        let rows =
            Rows { start_micros: 1_006_000_000, step_micros: 3_000_000, values: vec![1.0, 2.0] };
        let series = series_of(rows).unwrap();
        assert_eq!((series.start, series.values.len()), (1000, 4));
        assert!(series.values[1].is_nan() && series.values[2] == 1.0);
        let held = Rows { start_micros: 999_000_000, step_micros: 3_000_000, values: vec![1.0] };
        let series = series_of(held).unwrap();
        // The last step is the one that ends last within the request.
        assert_eq!((series.start, series.end, series.values.len()), (999, 1008, 3));
        let nothing = Rows { start_micros: 0, step_micros: 5_000_000, values: Vec::new() };
        let series = series_of(nothing).unwrap();
        assert_eq!((series.start, series.end, series.values.len()), (1000, 1010, 2));
        assert!(series_of(Rows::default()).is_none());
    }
}
