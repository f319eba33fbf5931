//! Queries in PromQL, over a few series: whatever the text is, there is an answer in JSON.
#![no_main]

use std::cell::Cell;

use libfuzzer_sys::fuzz_target;
use promql::Limits;
use promql::api::{Api, InstantQuery, RangeQuery};
use series::{Described, Kind, Label, Labels, Matcher, Rows, Selected, Source, Unanswered, Window};

/// Three series of ten rows, whatever is asked for.
struct Few;

impl Few {
    fn series() -> impl Iterator<Item = Selected> {
        [("a", Kind::Gauge), ("b", Kind::Rate), ("c", Kind::Gauge)].into_iter().map(
            |(name, kind)| {
                let labels = [("__name__", name), ("le", "+Inf"), ("host", "x")];
                let labels = labels.map(|(name, value)| Label::new(name, value));
                let values = (0..10).map(|nth| if nth == 3 { f64::NAN } else { f64::from(nth) });
                let rows =
                    Rows { start_micros: 0, step_micros: 60_000_000, values: values.collect() };
                Selected { labels: Labels::new(labels), kind, rows }
            },
        )
    }
}

impl Source for Few {
    fn select(&self, matchers: &[Matcher], _: &Window) -> Result<Vec<Selected>, Unanswered> {
        let takes = |it: &Selected| matchers.iter().all(|matcher| matcher.takes(&it.labels));
        Ok(Self::series().filter(takes).collect())
    }

    fn describe(&self, _: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        Ok(Vec::new())
    }

    fn label_names(&self, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        Ok(Vec::new())
    }

    fn label_values(&self, _: &str, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        Ok(Vec::new())
    }
}

fuzz_target!(|query: &str| {
    let looks = Cell::new(0);
    let goes_on = || {
        looks.set(looks.get() + 1);
        looks.get() < 20
    };
    let limits = Limits { values: 100_000, ..Limits::default() };
    let api = Api { source: &Few, limits, now_micros: 300_000_000, goes_on: &goes_on };
    let range = RangeQuery { query, start: "100", end: "900.5", step: "1m" };
    for answer in [api.query(&InstantQuery { query, time: None }), api.query_range(&range)] {
        let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
        let status = if answer.status == 200 { "success" } else { "error" };
        assert_eq!(body["status"], status);
        assert!(answer.status < 500 || answer.status == 503, "{body}");
    }
});
