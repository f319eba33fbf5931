//! The series with the largest or smallest values.

use std::cmp::Ordering;

use lookup::Lookup;
use serde::Deserialize;
use serde_json::{Value, json};
use series::{
    Comparison, METRIC_NAME, Matcher, Preferred, Rows, Selected, Source as _, Span, Window,
};

use super::context::DataContext;
use super::problem::Problem;

/// The series in an answer unless the request gives a number.
const SERIES_DEFAULT: usize = 10;
/// The most series in an answer.
const SERIES_MAX: usize = 1000;
const MICROS_PER_SECOND: i64 = 1_000_000;

/// What is asked about the largest series.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// The name of the series.
    series: String,
    /// A pattern for the databases' names, a regular expression.
    database: Option<String>,
    #[serde(default)]
    by: By,
    #[serde(default)]
    least: bool,
    start: Option<String>,
    end: Option<String>,
    n: Option<usize>,
}

/// By which number series are ranked.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    #[default]
    Average,
    Max,
    Min,
    Last,
}

/// The series, the first one first. Series without a known value are not among them.
pub(super) fn top(context: &DataContext, lookup: &Lookup, asked: &Asked) -> Result<Value, Problem> {
    let most = Problem::check_count("n", asked.n, SERIES_DEFAULT, SERIES_MAX)?;
    let period = context.period(asked.start.as_deref(), asked.end.as_deref())?;
    let seconds = period.seconds().cast_signed();
    let span = Span {
        start_micros: period.start_seconds.saturating_mul(MICROS_PER_SECOND),
        end_micros: period.end_seconds.saturating_mul(MICROS_PER_SECOND),
    };
    // A hundred rows tell which series is the largest.
    let step_micros = seconds.saturating_mul(MICROS_PER_SECOND) / 100;
    let preferred = match asked.by {
        By::Average => Preferred::Named,
        By::Max => Preferred::Maximum,
        By::Min => Preferred::Minimum,
        By::Last => Preferred::Last,
    };
    let mut matchers = vec![matcher(METRIC_NAME, Comparison::Equal, &asked.series)?];
    if let Some(pattern) = &asked.database {
        matchers.push(matcher(lookup::DATABASE_LABEL, Comparison::Matches, pattern)?);
    }
    let selected = lookup.select(&matchers, &Window { span, step_micros, preferred })?;
    let ranked = ranked(selected, asked.by, asked.least);
    let series = ranked.iter().take(most);
    let series = series.map(|each| json!({ "labels": each.labels, "value": each.value }));
    Ok(json!({ "series": series.collect::<Vec<_>>() }))
}

fn matcher(label: &str, comparison: Comparison, value: &str) -> Result<Matcher, Problem> {
    Matcher::new(label, comparison, value).map_err(|error| Problem::Query(error.into()))
}

struct Ranked {
    labels: series::Labels,
    value: f64,
}

fn ranked(selected: Vec<Selected>, by: By, least: bool) -> Vec<Ranked> {
    let ranked = selected.into_iter().filter_map(|Selected { labels, rows, .. }| {
        value(&rows, by).map(|value| Ranked { labels, value })
    });
    let mut ranked: Vec<Ranked> = ranked.collect();
    let order = |one: &Ranked, other: &Ranked| match least {
        true => one.value.total_cmp(&other.value),
        false => other.value.total_cmp(&one.value),
    };
    let by_name = |one: &Ranked, other: &Ranked| one.labels.cmp(&other.labels);
    ranked.sort_by(|one, other| match order(one, other) {
        Ordering::Equal => by_name(one, other),
        order => order,
    });
    ranked
}

/// The number of a series' known values; `None` if there is none.
fn value(rows: &Rows, by: By) -> Option<f64> {
    let known = || rows.known().map(|(_, value)| value).filter(|value| value.is_finite());
    match by {
        By::Average => {
            let (sum, count) =
                known().fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
            (count > 0).then(|| sum / f64::from(count))
        }
        By::Max => known().reduce(f64::max),
        By::Min => known().reduce(f64::min),
        By::Last => known().last(),
    }
}
