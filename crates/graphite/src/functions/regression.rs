//! Lines through series.

use crate::Error;
use crate::aggregation::count;
use crate::function::{Function, Invocation, functions};
use crate::parameter::{SERIES, date};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Calculate";
    "linearRegression"(SERIES, date("startSourceAt").optional(), date("endSourceAt").optional())
        "The line that is nearest to a series." => regression;
};

/// A line over the time.
struct Line {
    /// For each second.
    slope: f64,
    /// In 1970.
    offset: f64,
}

impl Line {
    /// The line with the least squares; `None` if fewer than two points are known.
    fn through(series: &TimeSeries) -> Option<Self> {
        let known = || (0..).zip(&series.values).filter(|(_, value)| !value.is_nan());
        let places = || known().map(|(nth, _): (u32, _)| f64::from(nth));
        let n = count(&series.values) as f64;
        let sum_places: f64 = places().sum();
        let sum_squares: f64 = places().map(|nth| nth * nth).sum();
        let sum_values: f64 = known().map(|(_, value)| value).sum();
        let sum_products: f64 = known().map(|(nth, value)| f64::from(nth) * value).sum();
        let denominator = n * sum_squares - sum_places * sum_places;
        if denominator == 0.0 {
            return None;
        }
        let slope = (n * sum_products - sum_places * sum_values) / denominator / series.step as f64;
        let offset = (sum_squares * sum_values - sum_products * sum_places) / denominator
            - slope * series.start as f64;
        Some(Self { slope, offset })
    }
}

fn regression(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let given = |nth| call.text_if_given(nth).map(|_| call.date(nth)).transpose();
    let start = given(1)?.unwrap_or(call.context.start);
    let end = given(2)?.unwrap_or(call.context.end);
    let mut other = call.context.at(start, end);
    let sources = call.again(&mut other)?;
    let mut made = Vec::new();
    for (source, mut it) in sources.iter().zip(series) {
        it.tag("linearRegressions", format!("{start}, {end}"));
        let Some(line) = Line::through(source) else { continue };
        let value = |nth: i64| line.offset + (it.start + nth * it.step) as f64 * line.slope;
        let values = (0..it.values.len() as i64).map(value).collect();
        let name = format!("linearRegression({}, {start}, {end})", it.name);
        let one = TimeSeries::new(name, it.steps(), values, it.x_files_factor);
        made.push(TimeSeries { tags: it.tags, ..one });
    }
    Ok(made)
}
