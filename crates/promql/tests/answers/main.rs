//! Answers to the byte, and what differs from Prometheus on purpose.

#[path = "../prometheus/memory.rs"]
#[allow(dead_code)] // the other program of tests prints the samples
mod memory;

mod rates;
mod bodies;
mod bounds;
mod questions;
mod documented;

use memory::Memory;
use promql::Limits;
use promql::api::{Api, InstantQuery, RangeQuery};
use series::{Kind, METRIC_NAME, Rows};

/// When the rows of the tests begin.
const BEGIN: i64 = 1_700_000_000;

fn rows(step_seconds: i64, values: &[f64]) -> Rows {
    let (start_micros, step_micros) = (BEGIN * 1_000_000, step_seconds * 1_000_000);
    Rows { start_micros, step_micros, values: values.to_vec() }
}

fn one(kind: Kind, step_seconds: i64, values: &[f64]) -> Memory {
    let mut memory = Memory::default();
    memory.add(&[(METRIC_NAME, "a"), ("host", "x")], kind, rows(step_seconds, values));
    memory
}

fn api(source: &dyn series::Source) -> Api<'_> {
    Api { source, limits: Limits::default(), now_micros: BEGIN * 1_000_000, goes_on: &|| true }
}

/// The answer at a time so many seconds after the beginning.
fn at(source: &dyn series::Source, query: &str, seconds: i64) -> String {
    let time = (BEGIN + seconds).to_string();
    let answer = api(source).query(&InstantQuery { query, time: Some(&time) });
    String::from_utf8(answer.body).unwrap()
}

/// The answer from the beginning on.
fn range(source: &dyn series::Source, query: &str, seconds: i64, step: &str) -> String {
    let (start, end) = (BEGIN.to_string(), (BEGIN + seconds).to_string());
    let answer = api(source).query_range(&RangeQuery { query, start: &start, end: &end, step });
    String::from_utf8(answer.body).unwrap()
}

/// An answer with one series without a name.
fn vector(seconds: i64, value: &str) -> String {
    let time = BEGIN + seconds;
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{{\"metric\":\
         {{\"host\":\"x\"}},\"value\":[{time},\"{value}\"]}}]}}}}"
    )
}

/// An answer without series.
const NOTHING: &str = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}";
