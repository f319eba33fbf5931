//! Queries answered by Debian's Prometheus and by this crate, over the same samples.
//!
//! Not compared, because they differ on purpose (see docs/promql.md): samples on the left
//! end of a range, rows coarser than 150 s, rates of series that are rates.
#![allow(clippy::disallowed_methods)] // a server on loopback, for remote read

mod memory;
mod samples;
mod expressions;
mod compare;
mod remote;

use oracle::Prometheus;
use promql::Limits;
use promql::api::{Api, Chosen, InstantQuery, RangeQuery};
use serde_json::Value as Json;

use memory::Memory;

const TESTED: &str = "PromQL against Prometheus";
/// Seconds of the times that are asked for: a while after the beginning, within, beyond the end.
/// None is 13 s after a half minute, when steps end.
const TIMES: [&str; 4] = ["1700000407", "1700005087.5", "1700010607", "1700011207"];
const RANGE: RangeQuery<'_> =
    RangeQuery { query: "", start: "1700000107", end: "1700011207", step: "210" };

struct Both {
    memory: Memory,
    prometheus: Prometheus,
}

impl Both {
    fn start() -> Option<Self> {
        let memory = samples::series();
        let prometheus = Prometheus::start(&memory.open_metrics(), TESTED)?;
        Some(Self { memory, prometheus })
    }

    fn api(&self) -> Api<'_> {
        let limits = Limits::default();
        Api { source: &self.memory, limits, now_micros: 0, goes_on: &|| true }
    }

    /// The differences between both answers at all times and over the range.
    fn differences(&self, query: &str) -> Vec<String> {
        let mut found = self.differences_at_times(query);
        let RangeQuery { start, end, step, .. } = RANGE;
        let parameters = [("query", query), ("start", start), ("end", end), ("step", step)];
        let theirs = self.prometheus.ask("/api/v1/query_range", &parameters);
        let ours = self.api().query_range(&RangeQuery { query, ..RANGE });
        let difference = compare::difference(&ours, &theirs);
        found.extend(difference.map(|it| format!("{query}\n  range: {it}")));
        found
    }

    fn differences_at_times(&self, query: &str) -> Vec<String> {
        let mut found = Vec::new();
        for time in TIMES {
            let theirs = self.prometheus.ask("/api/v1/query", &[("query", query), ("time", time)]);
            let ours = self.api().query(&InstantQuery { query, time: Some(time) });
            let difference = compare::difference(&ours, &theirs);
            found.extend(difference.map(|it| format!("{query}\n  at {time}: {it}")));
        }
        found
    }

    fn hold<'a>(&self, queries: impl IntoIterator<Item = &'a str>) {
        report(queries.into_iter().flat_map(|it| self.differences(it)).collect());
    }
}

fn report(found: Vec<String>) {
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn each_function_and_operator_answers_as_prometheus_does() {
    let Some(both) = Both::start() else { return };
    both.hold(expressions::FIXED.iter().copied());
    let at_times = expressions::FIXED_AT_ONE_TIME.iter();
    report(at_times.flat_map(|query| both.differences_at_times(query)).collect());
}

#[test]
fn drawn_expressions_answer_as_in_prometheus() {
    let Some(both) = Both::start() else { return };
    let drawn = expressions::drawn(400);
    both.hold(drawn.iter().map(String::as_str));
}

#[test]
fn catalogues_are_those_of_prometheus() {
    let Some(both) = Both::start() else { return };
    let (times, matches) =
        ([("start", "1700000000"), ("end", "1700020000")], ["load{host!=\"a\"}"]);
    let ask = |path: &str, matches: &[&str]| -> Json {
        let pairs: Vec<_> =
            times.into_iter().chain(matches.iter().map(|it| ("match[]", *it))).collect();
        let mut reply: Json =
            serde_json::from_str(&both.prometheus.ask(path, &pairs).body).unwrap();
        if let Some(all) = reply["data"].as_array_mut() {
            all.sort_by_key(Json::to_string);
        }
        reply
    };
    let ours = |answer: promql::api::Answer| -> Json {
        let mut reply: Json = serde_json::from_slice(&answer.body).unwrap();
        reply["data"].as_array_mut().unwrap().sort_by_key(Json::to_string);
        reply
    };
    let chosen = Chosen { matches: &matches, ..Chosen::default() };
    assert_eq!(ours(both.api().series(&chosen)), ask("/api/v1/series", &matches));
    assert_eq!(ours(both.api().labels(&chosen)), ask("/api/v1/labels", &matches));
    assert_eq!(ours(both.api().labels(&Chosen::default())), ask("/api/v1/labels", &[]));
    for label in ["host", "if", "__name__", "nosuch"] {
        let path = format!("/api/v1/label/{label}/values");
        assert_eq!(ours(both.api().label_values(label, &chosen)), ask(&path, &matches));
        assert_eq!(ours(both.api().label_values(label, &Chosen::default())), ask(&path, &[]));
    }
}
