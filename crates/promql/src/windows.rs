//! Functions over ranges: the samples of a series, and a window that moves over them.

use series::{Labels, METRIC_NAME, Selected};

use crate::axis::Axis;
use crate::context::Context;
use crate::error::Failed;
use crate::kernels::{Kernel, RangeFunction, Samples};
use crate::select::{Reach, is_rate};
use crate::vector::{Vector, is_absent};

/// What a function over a range is given.
pub(crate) enum Ranges {
    /// Rows.
    Rows(Vec<Selected>),
    /// What a subquery said at the times of an axis.
    Columns(Vector, Axis),
}

/// Which windows a function sees.
pub(crate) struct Windows {
    /// When each window ends.
    pub(crate) ends: Axis,
    /// How long each is, microseconds.
    pub(crate) range_micros: i64,
}

/// The samples of one series, whatever they came from. The buffers are used again for the next.
#[derive(Default)]
struct Known {
    times_micros: Vec<i64>,
    values: Vec<f64>,
}

/// Applies a function to each window of each series. `numbers` are the function's other arguments,
/// each with a value for each time; `times` are those at which the query is evaluated.
///
/// # Errors
///
/// Too many values, or two series with the same labels.
pub(crate) fn apply(
    context: &Context<'_>,
    function: RangeFunction,
    ranges: Ranges,
    windows: &Windows,
    numbers: &[Vec<f64>],
    times: &Axis,
) -> Result<Vector, Failed> {
    let (mut vector, mut known) = (Vector::new(times.count), Known::default());
    let mut run = Run { context, windows, numbers, times };
    match ranges {
        Ranges::Rows(found) => {
            context.take_values(found.len(), times.count)?;
            for Selected { labels, kind, rows } in found {
                let kernel = kernel(context, function, is_rate(kind), &labels);
                known.take(rows.known());
                let range = Reach::Range(windows.range_micros).micros(rows.step_micros);
                run.series(&mut vector, labels, &known, range, kernel)?;
            }
        }
        Ranges::Columns(columns, axis) => {
            context.take_values(columns.len(), times.count)?;
            for nth in 0..columns.len() {
                let column = axis.times_micros().zip(columns.column(nth).iter().copied());
                known.take(column.filter(|(_, value)| !is_absent(*value)));
                let labels = columns.labels[nth].clone();
                let kernel = kernel(context, function, columns.are_rates, &labels);
                run.series(&mut vector, labels, &known, windows.range_micros, kernel)?;
            }
        }
    }
    if function.keeps_name() { Ok(vector) } else { vector.without_names() }
}

/// What a function does with a series; the answer tells if that is not what its name says.
fn kernel(
    context: &Context<'_>,
    function: RangeFunction,
    is_rate: bool,
    labels: &Labels,
) -> Kernel {
    let kernel = function.kernel(is_rate);
    if kernel.tells_of_rates {
        context.tell(|| told(function, labels));
    }
    kernel
}

/// What an answer over rates says of itself.
fn told(function: RangeFunction, labels: &Labels) -> String {
    let (name, what) = (function.name(), function.told_of_rates());
    match labels.get(METRIC_NAME) {
        "" => format!("PromQL info: a subquery of rates: {name}() is {what}"),
        metric => format!("PromQL info: {metric:?} is a rate already, {name}() is {what}"),
    }
}

impl Known {
    fn take(&mut self, samples: impl Iterator<Item = (i64, f64)>) {
        self.times_micros.clear();
        self.values.clear();
        for (time, value) in samples {
            self.times_micros.push(time);
            self.values.push(value);
        }
    }
}

/// One function over all series.
struct Run<'a> {
    context: &'a Context<'a>,
    windows: &'a Windows,
    numbers: &'a [Vec<f64>],
    times: &'a Axis,
}

impl Run<'_> {
    /// Moves the window over one series.
    fn series(
        &mut self,
        vector: &mut Vector,
        labels: Labels,
        known: &Known,
        range_micros: i64,
        kernel: Kernel,
    ) -> Result<(), Failed> {
        let column = vector.push(labels);
        let times = &known.times_micros;
        let (mut begin, mut end) = (0, 0);
        for (nth, (value, window_end)) in
            column.iter_mut().zip(self.windows.ends.times_micros()).enumerate()
        {
            let window_start = window_end.saturating_sub(range_micros);
            while end < times.len() && times[end] <= window_end {
                end += 1;
            }
            while begin < end && times[begin] <= window_start {
                begin += 1;
            }
            if begin == end {
                continue;
            }
            self.context.work((end - begin) as u64)?;
            *value = (kernel.of)(&Samples {
                times_micros: &times[begin..end],
                values: &known.values[begin..end],
                start_micros: window_start,
                end_micros: window_end,
                range_seconds: self.windows.range_micros as f64 / 1e6,
                evaluated_micros: self.times.time_micros(nth),
                numbers: self.numbers,
                nth,
            });
        }
        vector.drop_last_if_absent();
        Ok(())
    }
}
