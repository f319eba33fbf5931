//! Charts of what query languages answer.

use std::collections::BTreeMap;

use ::graphite::{Setting, Store, api as graphite_api};
use jiff::tz::TimeZone;
use promql::api::{Api, RangeQuery};
use serde::Deserialize;
use series::METRIC_NAME;

use super::asking::{Asking, Unshown};
use super::board::Panel;
use super::curve::{Chart, Curve, Numbers, Point, Unit, VALUES_MAX, rows_per_point, thinned};
use crate::data::seen;

const MICROS_PER_SECOND: i64 = 1_000_000;
/// Values that a query of a board may calculate with.
const VALUES_PER_QUERY: u64 = 10_000_000;

/// What a series is called whose name would tell the query to one who may not read it.
const UNNAMED: &str = "value";

/// An answer of Prometheus' API to a range query.
#[derive(Deserialize)]
struct PrometheusAnswer {
    data: Option<PrometheusData>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct PrometheusData {
    #[serde(default)]
    result: Vec<PrometheusSeries>,
}

#[derive(Deserialize)]
struct PrometheusSeries {
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<(f64, String)>,
}

/// A series of an answer of Graphite's `/render`.
#[derive(Deserialize)]
struct GraphiteSeries {
    target: String,
    datapoints: Vec<(Option<f64>, f64)>,
}

/// The chart of a query in Prometheus' language.
pub(super) fn prometheus(
    asking: &Asking<'_>,
    panel: &Panel,
    query: &str,
) -> Result<Chart, Unshown> {
    let source = seen(asking.data, asking.visitor.clone());
    let step = asking.window.step_seconds();
    // Steps at whole multiples: a refresh a little later shows the same values.
    let whole = |seconds: i64| (seconds - seconds.rem_euclid(step.max(1) as i64)).to_string();
    let (start, end) = (whole(asking.window.start_seconds), whole(asking.window.end_seconds));
    let answer = Api {
        source: &source,
        limits: promql::Limits { values: VALUES_PER_QUERY, ..promql::Limits::default() },
        now_micros: (asking.data.now)() * MICROS_PER_SECOND,
        goes_on: &|| asking.goes_on(),
    }
    .query_range(&RangeQuery { query, start: &start, end: &end, step: &step.to_string() });
    let answer: PrometheusAnswer = read(&answer.body)?;
    if let Some(error) = answer.error {
        return Err(Unshown::Query(error));
    }
    let series = answer.data.map_or_else(Vec::new, |data| data.result);
    let curves = series.into_iter().take(panel.first).map(|series| {
        let points = series.values.iter().map(|(at_seconds, value)| Point {
            at_seconds: *at_seconds,
            value: value.parse().unwrap_or(f64::NAN),
        });
        let without_name = if tells_query(asking) { query } else { UNNAMED };
        let rows = with_gaps(points, step as f64);
        curve(asking, panel, label(&series.metric, without_name), &rows, step as f64)
    });
    Ok(Chart { title: String::new(), page: None, curves: curves.collect() })
}

/// Steps without a value are not in the answer: a line must not go over them.
fn with_gaps(points: impl Iterator<Item = Point>, step_seconds: f64) -> Vec<Point> {
    let mut all: Vec<Point> = Vec::new();
    for point in points {
        if let Some(last) =
            all.last().filter(|it| point.at_seconds - it.at_seconds > 1.5 * step_seconds)
        {
            all.push(Point { at_seconds: last.at_seconds + step_seconds, value: f64::NAN });
        }
        all.push(point);
    }
    all
}

/// Whether the visitor may read the query, which may name what he does not see.
fn tells_query(asking: &Asking<'_>) -> bool {
    asking.visitor.scope.is_everything()
}

/// `metric{label="value"}`, or `without_name` for a series without any label.
fn label(metric: &BTreeMap<String, String>, without_name: &str) -> String {
    let name = metric.get(METRIC_NAME).map_or("", String::as_str);
    let others = metric.iter().filter(|(label, _)| *label != METRIC_NAME);
    let others: Vec<String> = others.map(|(label, value)| format!("{label}={value:?}")).collect();
    match (name, others.is_empty()) {
        ("", true) => without_name.to_owned(),
        (name, true) => name.to_owned(),
        (name, false) => format!("{name}{{{}}}", others.join(", ")),
    }
}

/// The chart of a target of Graphite's language.
pub(super) fn graphite(asking: &Asking<'_>, panel: &Panel, target: &str) -> Result<Chart, Unshown> {
    let lookup = seen(asking.data, asking.visitor.clone());
    let setting = Setting {
        now_seconds: (asking.data.now)(),
        zone: &asking.data.zone,
        zone_named: &|name| TimeZone::get(name).ok(),
        limits: ::graphite::Limits { values: VALUES_PER_QUERY, ..::graphite::Limits::default() },
        goes_on: &|| asking.goes_on(),
    };
    let words = [
        ("target", target.to_owned()),
        ("format", "json".to_owned()),
        ("from", asking.window.start_seconds.to_string()),
        ("until", asking.window.end_seconds.to_string()),
        ("maxDataPoints", VALUES_MAX.to_string()),
    ];
    let words = words.map(|(name, value)| (name.to_owned(), value));
    let store = Store { paths: &lookup, source: &lookup };
    let answer = graphite_api::render(&graphite_api::Parameters::new(words), store, &setting);
    if answer.status != 200 {
        let words = String::from_utf8_lossy(&answer.body);
        return Err(Unshown::Query(words.trim().to_owned()));
    }
    let series: Vec<GraphiteSeries> = read(&answer.body)?;
    let curves = series.into_iter().take(panel.first).map(|series| {
        let points = series.datapoints.iter().map(|(value, at_seconds)| Point {
            at_seconds: *at_seconds,
            value: value.unwrap_or(f64::NAN),
        });
        let rows: Vec<Point> = points.collect();
        let step_seconds = match rows.as_slice() {
            [first, second, ..] => second.at_seconds - first.at_seconds,
            _ => asking.window.step_seconds() as f64,
        };
        // A series that no alias names has the text of what it was calculated by.
        let is_told = tells_query(asking) || !series.target.contains('(');
        let label = if is_told { series.target } else { UNNAMED.to_owned() };
        curve(asking, panel, label, &rows, step_seconds)
    });
    Ok(Chart { title: String::new(), page: None, curves: curves.collect() })
}

fn curve(
    asking: &Asking<'_>,
    panel: &Panel,
    label: String,
    rows: &[Point],
    step_seconds: f64,
) -> Curve {
    Curve {
        label,
        page: None,
        unit: Unit { name: panel.unit.clone().unwrap_or_default(), kilo: 1000.0 },
        points: thinned(rows),
        step_seconds: step_seconds * rows_per_point(rows.len()) as f64,
        numbers: Numbers::of(rows, step_seconds, asking.window),
    }
}

/// Our own engines write these answers.
fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Unshown> {
    serde_json::from_slice(body).map_err(|error| Unshown::Query(error.to_string()))
}
