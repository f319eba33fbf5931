//! Selectors: series and their rows.

use promql_parser::label::{MatchOp, Matcher as Parsed};
use promql_parser::parser::{AtModifier, Offset, VectorSelector};
use series::{
    Comparison, Kind, METRIC_NAME, Matcher, Preferred, Rows, Selected, Span, Window, WrongPattern,
};

use crate::axis::Axis;
use crate::context::Context;
use crate::error::Failed;
use crate::vector::{ABSENT, Vector};

/// How far back a selector looks for a sample, at least.
const LOOKBACK_MICROS: i64 = 300_000_000;
/// Rows this coarse can be looked back for without a second question: those of most collectors.
const USUAL_STEP_MICROS: i64 = 300_000_000;
/// A range of a question for one time has this many rows, if there is a choice.
const ROWS_IN_RANGE: i64 = 1_000;
/// A range of a question for many times has at least this many rows, if there is a choice.
const ROWS_IN_RANGE_MIN: i64 = 16;

/// What a selector is read for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach {
    /// The last sample before each time.
    Last,
    /// All samples of a range before each time, microseconds.
    Range(i64),
}

impl Reach {
    /// How far back rows of a step matter.
    pub(crate) fn micros(self, step_micros: i64) -> i64 {
        match self {
            Self::Last => LOOKBACK_MICROS.max(step_micros.saturating_mul(2)),
            Self::Range(range) => range.max(step_micros),
        }
    }

    /// Which step of rows would be best.
    fn wished_step(self, axis: &Axis, is_single: bool) -> i64 {
        match (self, is_single) {
            (Self::Last, true) => 0,
            (Self::Last, false) => axis.step_micros,
            (Self::Range(range), true) => range / ROWS_IN_RANGE,
            (Self::Range(range), false) => axis.step_micros.min(range / ROWS_IN_RANGE_MIN),
        }
    }
}

/// The times that a selector or subquery means, after `offset` and `@`.
pub(crate) fn shifted(
    context: &Context<'_>,
    axis: &Axis,
    at: Option<&AtModifier>,
    offset: Option<&Offset>,
) -> Axis {
    let micros = match offset {
        None => 0,
        Some(Offset::Pos(it)) => micros(*it),
        Some(Offset::Neg(it)) => -micros(*it),
    };
    let time = match at {
        None => return axis.earlier_by(micros),
        Some(AtModifier::Start) => context.asked.axis.start_micros,
        Some(AtModifier::End) => context.asked.end_micros,
        Some(AtModifier::At(time)) => time_micros(*time),
    };
    Axis::fixed(time, axis.count).earlier_by(micros)
}

/// A duration in microseconds. All that are nearly as long as the type can tell are the same.
pub(crate) fn micros(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 8)
}

fn time_micros(time: std::time::SystemTime) -> i64 {
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => micros(after),
        Err(before) => -micros(before.duration()),
    }
}

/// The series that a selector means, with the rows that the times of an axis need.
///
/// # Errors
///
/// The source refuses.
pub(crate) fn select(
    context: &Context<'_>,
    selector: &VectorSelector,
    reach: Reach,
    preferred: Preferred,
    axis: &Axis,
) -> Result<Vec<Selected>, Failed> {
    let matchers = matchers(selector)?;
    let is_single = context.asked.axis.count == 1;
    let step_micros = reach.wished_step(axis, is_single).max(0);
    let mut known_step = match reach {
        Reach::Last => step_micros.max(USUAL_STEP_MICROS),
        Reach::Range(_) => step_micros,
    };
    let ask = |known_step: i64| {
        let start_micros = axis.start_micros.saturating_sub(reach.micros(known_step));
        let span = Span { start_micros, end_micros: axis.end_micros() };
        context.source.select(&matchers, &Window { span, step_micros, preferred })
    };
    let mut found = ask(known_step)?;
    // Rows that turn out to be coarser reach further back. A longer question may meet with still
    // coarser ones, but not for ever: a database has few archives.
    for _ in 0..2 {
        let coarsest = found.iter().map(|it| it.rows.step_micros).max().unwrap_or(0);
        if reach.micros(coarsest) <= reach.micros(known_step) {
            break;
        }
        known_step = coarsest;
        found = ask(known_step)?;
    }
    let rows = found.iter().map(|it| it.rows.values.len()).sum();
    context.take_values(1, rows)?;
    Ok(found)
}

/// The conditions of a selector.
///
/// # Errors
///
/// A pattern is wrong, or conditions are alternatives.
pub(crate) fn matchers(selector: &VectorSelector) -> Result<Vec<Matcher>, Failed> {
    if !selector.matchers.or_matchers.is_empty() {
        let what = "\"or\" between the conditions of a selector".to_owned();
        return Err(Failed::Unsupported { what, why: "Prometheus has none either" });
    }
    let name = selector.name.iter().map(|it| Matcher::new(METRIC_NAME, Comparison::Equal, it));
    let all: Result<_, WrongPattern> =
        name.chain(selector.matchers.matchers.iter().map(matcher)).collect();
    all.map_err(|error| Failed::Source(error.into()))
}

fn matcher(parsed: &Parsed) -> Result<Matcher, WrongPattern> {
    let comparison = match parsed.op {
        MatchOp::Equal => Comparison::Equal,
        MatchOp::NotEqual => Comparison::NotEqual,
        MatchOp::Re(_) => Comparison::Matches,
        MatchOp::NotRe(_) => Comparison::MatchesNot,
    };
    Matcher::new(&parsed.name, comparison, &parsed.value)
}

/// What an instant selector says at each time of an axis: the last sample before it.
///
/// # Errors
///
/// The source refuses, or there are too many values.
pub(crate) fn instant(
    context: &Context<'_>,
    selector: &VectorSelector,
    axis: &Axis,
) -> Result<Vector, Failed> {
    last_samples(context, selector, axis, |_, value| value)
}

/// When the last sample before each time of an axis was, in seconds.
///
/// # Errors
///
/// The source refuses, or there are too many values.
pub(crate) fn times_of_instant(
    context: &Context<'_>,
    selector: &VectorSelector,
    axis: &Axis,
) -> Result<Vector, Failed> {
    last_samples(context, selector, axis, |micros, _| micros as f64 / 1e6)
}

fn last_samples(
    context: &Context<'_>,
    selector: &VectorSelector,
    axis: &Axis,
    told: impl Fn(i64, f64) -> f64,
) -> Result<Vector, Failed> {
    let axis = shifted(context, axis, selector.at.as_ref(), selector.offset.as_ref());
    let found = select(context, selector, Reach::Last, Preferred::Named, &axis)?;
    context.take_values(found.len(), axis.count)?;
    let mut vector = Vector::new(axis.count);
    vector.are_rates = !found.is_empty() && found.iter().all(|it| is_rate(it.kind));
    vector.labels.reserve(found.len());
    vector.values.reserve(found.len() * axis.count);
    for Selected { labels, rows, .. } in found {
        fill(vector.push(labels), &rows, &axis, &told);
        vector.drop_last_if_absent();
    }
    Ok(vector)
}

/// Goes over the rows and the times of an axis side by side.
fn fill(column: &mut [f64], rows: &Rows, axis: &Axis, told: impl Fn(i64, f64) -> f64) {
    let back_micros = Reach::Last.micros(rows.step_micros);
    let (mut next, mut last) = (0, None);
    for (value, time) in column.iter_mut().zip(axis.times_micros()) {
        while next < rows.values.len() && rows.end_micros(next) <= time {
            if !rows.values[next].is_nan() {
                last = Some(next);
            }
            next += 1;
        }
        let sample = last.filter(|nth| rows.end_micros(*nth) > time.saturating_sub(back_micros));
        *value = sample.map_or(ABSENT, |nth| told(rows.end_micros(nth), rows.values[nth]));
    }
}

/// Whether a series' rows are rates.
pub(crate) fn is_rate(kind: Kind) -> bool {
    kind == Kind::Rate
}
