//! Series of a source as the language takes them.

use series::{Labels, METRIC_NAME, Rows, Selected, SelectedPath};

use crate::aggregation::Aggregation;
use crate::function::Context;
use crate::time_series::{Steps, TimeSeries, tags_of};

const SECOND_MICROS: i64 = 1_000_000;

/// A series by its path.
pub(crate) fn by_path(selected: SelectedPath, pattern: &str, context: &Context) -> TimeSeries {
    let SelectedPath { path, labels, rows, .. } = selected;
    let mut series = in_seconds(path, rows, context);
    for label in labels.iter().filter(|it| &*it.name != METRIC_NAME) {
        series.tag(&label.name, &label.value);
    }
    pattern.clone_into(&mut series.path);
    series
}

/// A series by its tags, which are its name too.
pub(crate) fn by_tags(selected: Selected, expression: &str, context: &Context) -> TimeSeries {
    let mut series = in_seconds(tagged_name(&selected.labels), selected.rows, context);
    series.tags = tags_of(&series.name);
    expression.clone_into(&mut series.path);
    series
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
fn in_seconds(name: String, rows: Rows, context: &Context) -> TimeSeries {
    let step = rows.step_micros.max(1);
    let count = SECOND_MICROS / greatest_common_divisor(step, SECOND_MICROS);
    let start = rows.start_micros.div_euclid(SECOND_MICROS);
    let (step, values) = match count {
        1 => (step / SECOND_MICROS, rows.values),
        count => (step * count / SECOND_MICROS, coarser(&rows, count)),
    };
    let end = start + step * values.len() as i64;
    TimeSeries::new(name, Steps { start, end, step }, values, context.x_files_factor)
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
