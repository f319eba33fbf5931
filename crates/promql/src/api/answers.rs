//! A query to what its answer holds.

use promql_parser::parser::Expr;
use series::{Labels, Preferred, Selected};

use crate::axis::Axis;
use crate::context::Context;
use crate::error::Failed;
use crate::evaluate::{evaluate, range as evaluate_range};
use crate::select::Reach;
use crate::vector::{Value, Vector, is_absent};
use crate::windows::Ranges;

/// What an answer holds.
pub(super) enum Found {
    /// A number at a time.
    Scalar { time_micros: i64, value: f64 },
    /// A text at a time.
    Text { time_micros: i64, text: String },
    /// Series at a time.
    Vector { time_micros: i64, vector: Vector },
    /// Series at the times of an axis.
    Matrix { axis: Axis, vector: Vector },
    /// Series at times of their own.
    Samples(Vec<Series>),
}

/// A series with the samples of a range.
pub(super) struct Series {
    pub(super) labels: Labels,
    pub(super) samples: Vec<(i64, f64)>,
}

/// The answer to a query for one time.
pub(super) fn instant(
    context: &Context<'_>,
    expression: &Expr,
    axis: &Axis,
) -> Result<Found, Failed> {
    if is_range(expression) {
        return samples(context, expression, axis);
    }
    let time_micros = axis.start_micros;
    Ok(match evaluate(context, expression, axis)? {
        Value::Scalar(scalar) => Found::Scalar { time_micros, value: scalar[0] },
        Value::Text(text) => Found::Text { time_micros, text },
        Value::Vector(vector) => Found::Vector { time_micros, vector: in_order(vector) },
    })
}

/// The answer to a query for many times.
pub(super) fn range(
    context: &Context<'_>,
    expression: &Expr,
    axis: &Axis,
) -> Result<Found, Failed> {
    let wrong = |found: &str| Failed::Parameter {
        name: "query",
        why: format!(
            "invalid expression type \"{found}\" for range query, must be Scalar or instant Vector"
        ),
    };
    if is_range(expression) {
        return Err(wrong("range vector"));
    }
    let vector = match evaluate(context, expression, axis)? {
        Value::Scalar(values) => Vector { values, ..unlabelled(axis.count) },
        Value::Vector(vector) => in_order(Vector { is_ordered: false, ..vector }),
        Value::Text(_) => return Err(wrong("string")),
    };
    Ok(Found::Matrix { axis: *axis, vector })
}

fn unlabelled(width: usize) -> Vector {
    Vector { labels: vec![Labels::default()], ..Vector::new(width) }
}

fn is_range(expression: &Expr) -> bool {
    match expression {
        Expr::Paren(it) => is_range(&it.expr),
        other => matches!(other, Expr::MatrixSelector(_) | Expr::Subquery(_)),
    }
}

/// The samples of a range themselves.
fn samples(context: &Context<'_>, expression: &Expr, axis: &Axis) -> Result<Found, Failed> {
    let (ranges, windows) = evaluate_range(context, expression, Preferred::Named, axis)?;
    let end_micros = windows.ends.start_micros;
    let within = |range: i64| move |time: i64| time > end_micros - range && time <= end_micros;
    let mut all: Vec<Series> = match ranges {
        Ranges::Rows(found) => {
            let series = |Selected { labels, rows, .. }: Selected| {
                let is_in = within(Reach::Range(windows.range_micros).micros(rows.step_micros));
                Series { labels, samples: rows.known().filter(|(time, _)| is_in(*time)).collect() }
            };
            found.into_iter().map(series).collect()
        }
        Ranges::Columns(vector, axis) => {
            let is_in = within(windows.range_micros);
            let series = |nth: usize| {
                let column = axis.times_micros().zip(vector.column(nth).iter().copied());
                let samples = column.filter(|(time, value)| is_in(*time) && !is_absent(*value));
                Series { labels: vector.labels[nth].clone(), samples: samples.collect() }
            };
            (0..vector.len()).map(series).collect()
        }
    };
    all.retain(|series| !series.samples.is_empty());
    all.sort_by(|one, other| one.labels.cmp(&other.labels));
    Ok(Found::Samples(all))
}

/// Sorted by labels if no function of the query gave another order; without series that have no
/// sample.
fn in_order(vector: Vector) -> Vector {
    let has_sample = |nth: &usize| vector.column(*nth).iter().any(|value| !is_absent(*value));
    let mut order: Vec<usize> = (0..vector.len()).filter(has_sample).collect();
    if !vector.is_ordered {
        order.sort_by(|one, other| vector.labels[*one].cmp(&vector.labels[*other]));
    }
    if order.iter().copied().eq(0..vector.len()) {
        return vector;
    }
    let mut sorted = Vector::new(vector.width);
    for nth in order {
        sorted.push(vector.labels[nth].clone()).copy_from_slice(vector.column(nth));
    }
    sorted
}
