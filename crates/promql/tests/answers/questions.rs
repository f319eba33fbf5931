//! Which rows a source is asked for.

use std::sync::Mutex;

use promql::api::RangeQuery;
use series::{Described, Kind, Matcher, Preferred, Selected, Source, Unanswered, Window};

use super::{BEGIN, Memory, api, at, one};

/// A source that notes the windows that it is asked for.
struct Noting {
    memory: Memory,
    asked: Mutex<Vec<Window>>,
}

impl Source for Noting {
    fn select(&self, matchers: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered> {
        self.asked.lock().unwrap().push(*window);
        self.memory.select(matchers, window)
    }

    fn describe(&self, matchers: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        self.memory.describe(matchers)
    }

    fn label_names(&self, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        self.memory.label_names(matchers)
    }

    fn label_values(&self, label: &str, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        self.memory.label_values(label, matchers)
    }
}

/// A window in seconds from the beginning: start, end, step.
type Seconds = (f64, f64, f64);

fn noting(step_seconds: i64) -> Noting {
    let memory = one(Kind::Gauge, step_seconds, &[1.0; 100]);
    Noting { memory, asked: Mutex::default() }
}

impl Noting {
    fn seconds(&self) -> Vec<Seconds> {
        let begin = BEGIN as f64;
        let told = |it: &Window| {
            let Window { span, step_micros, .. } = it;
            let seconds = |micros: i64| micros as f64 / 1e6;
            let (start, end) = (seconds(span.start_micros), seconds(span.end_micros));
            (start - begin, end - begin, seconds(*step_micros))
        };
        self.asked.lock().unwrap().drain(..).map(|it| told(&it)).collect()
    }

    fn range(&self, query: &str) -> Vec<Seconds> {
        let (start, end) = ((BEGIN + 1_000).to_string(), (BEGIN + 4_000).to_string());
        let query = RangeQuery { query, start: &start, end: &end, step: "5m" };
        assert_eq!(api(self).query_range(&query).status, 200);
        self.seconds()
    }
}

#[test]
fn each_selector_is_one_question() {
    let source = noting(60);
    at(&source, "a + a offset 10m", 2_000);
    assert_eq!(source.seconds(), [(1_400.0, 2_000.0, 0.0), (800.0, 1_400.0, 0.0)]);
    at(&source, "rate(a[1h])", 4_000);
    assert_eq!(source.seconds(), [(400.0, 4_000.0, 3.6)]);
    assert_eq!(source.range("a"), [(400.0, 4_000.0, 300.0)]);
    assert_eq!(source.range("rate(a[10m] offset 1m)"), [(340.0, 3_940.0, 37.5)]);
    assert_eq!(source.range("a @ end()"), [(3_400.0, 4_000.0, 0.0)]);
}

#[test]
fn rows_coarser_than_those_of_most_collectors_are_asked_for_again() {
    let source = noting(300);
    assert_eq!(source.range("a").len(), 1);
    let source = noting(1_800);
    assert_eq!(source.range("a"), [(400.0, 4_000.0, 300.0), (-2_600.0, 4_000.0, 300.0)]);
    assert_eq!(source.range("rate(a[10m])"), [(400.0, 4_000.0, 37.5), (-800.0, 4_000.0, 37.5)]);
}

#[test]
fn extremes_are_asked_of_archives_that_keep_them() {
    let source = noting(60);
    let preferred = |query: &str| {
        at(&source, query, 4_000);
        source.asked.lock().unwrap().drain(..).map(|it| it.preferred).collect::<Vec<_>>()
    };
    assert_eq!(preferred("max_over_time(a[1h])"), [Preferred::Maximum]);
    assert_eq!(preferred("min_over_time((a[1h]))"), [Preferred::Minimum]);
    assert_eq!(preferred("avg_over_time(a[1h]) + a"), [Preferred::Named, Preferred::Named]);
}
