//! What a query may take.

use std::cell::Cell;

use promql::Limits;
use promql::api::{Api, InstantQuery, RangeQuery};
use series::Kind;

use super::{BEGIN, api, at, one, range};

#[test]
fn a_range_has_no_more_steps_than_permitted() {
    let memory = one(Kind::Gauge, 60, &[1.0]);
    let query = RangeQuery { query: "a", start: "0", end: "11001", step: "1" };
    let answer = api(&memory).query_range(&query);
    assert_eq!(answer.status, 400);
    let body = String::from_utf8(answer.body).unwrap();
    assert!(body.contains("exceeded maximum resolution of 11000 points per timeseries"), "{body}");
    assert_eq!(api(&memory).query_range(&RangeQuery { end: "11000", ..query }).status, 200);
}

#[test]
fn parameters_are_checked() {
    let memory = one(Kind::Gauge, 60, &[1.0]);
    let good = RangeQuery { query: "a", start: "0", end: "10", step: "1" };
    for wrong in [
        RangeQuery { start: "x", ..good },
        RangeQuery { end: "-1", ..good },
        RangeQuery { end: "1e300", ..good },
        RangeQuery { step: "0", ..good },
        RangeQuery { step: "-1m", ..good },
        RangeQuery { query: "a[5m]", ..good },
        RangeQuery { query: "\"a\"", ..good },
        RangeQuery { query: "sum_over_time(a[0])", ..good },
    ] {
        let answer = api(&memory).query_range(&wrong);
        assert_eq!(answer.status, 400, "{wrong:?}");
    }
}

#[test]
fn values_are_counted_before_they_are_made() {
    let memory = one(Kind::Gauge, 60, &[1.0; 100]);
    let huge = at(&memory, "sum_over_time(a[10000y:1ms])", 600);
    assert!(huge.contains("expected at most 50000000 values"), "{huge}");
    let limits = Limits { values: 1_000, ..Limits::default() };
    let api = Api { limits, ..api(&memory) };
    let query = RangeQuery { query: "a", start: "1700000000", end: "1700006000", step: "60" };
    assert_eq!(api.query_range(&query).status, 200);
    let sum = ["a"; 20].join("+");
    let answer = api.query_range(&RangeQuery { query: &sum, ..query });
    assert_eq!(answer.status, 422);
}

#[test]
fn a_deadline_ends_a_query() {
    let memory = one(Kind::Gauge, 1, &[1.0; 20_000]);
    let looks = Cell::new(0);
    let goes_on = || {
        looks.set(looks.get() + 1);
        looks.get() < 3
    };
    let api = Api { goes_on: &goes_on, ..api(&memory) };
    let query = "sum_over_time(a[5h])";
    let (start, end) = (BEGIN.to_string(), (BEGIN + 20_000).to_string());
    let answer = api.query_range(&RangeQuery { query, start: &start, end: &end, step: "2" });
    assert_eq!((answer.status, looks.get()), (503, 3));
    assert!(String::from_utf8(answer.body).unwrap().contains("\"errorType\":\"timeout\""));
    assert_eq!(api.query(&InstantQuery { query: "1", time: None }).status, 200);
}

#[test]
fn times_at_the_ends_of_what_can_be_told_are_no_danger() {
    let memory = one(Kind::Gauge, 60, &[1.0]);
    for query in [
        "a offset 99999999999",
        "a offset -99999999999",
        "a @ 1e300",
        "a @ -1e300",
        "sum_over_time(a[99999999y])",
        "sum_over_time(a[99999999y:99999999y] @ -1e18 offset -99999999y)",
        "year(vector(1e300)) + year(vector(-1e300)) + year(vector(NaN))",
        "rate(a[5m] @ 9e15)",
    ] {
        at(&memory, query, 60);
        range(&memory, query, 600, "60");
        for time in ["-2e12", "2e12", "-62135596801", "9999-12-31T23:59:59Z"] {
            let answer = api(&memory).query(&InstantQuery { query, time: Some(time) });
            assert!(answer.status < 500, "{query} at {time}");
        }
    }
    let (open, close) = ("max_over_time(", "[99999999y:9999y])");
    let query = format!("{}a{}", open.repeat(95), close.repeat(95));
    assert_eq!(api(&memory).query(&InstantQuery { query: &query, time: Some("2e12") }).status, 200);
}

#[test]
fn the_deepest_query_fits_on_a_thread() {
    let memory = one(Kind::Gauge, 60, &[1.0; 30]);
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}a{}", open.repeat(depth), close.repeat(depth))
    };
    for query in [
        nested("abs(", ")", 199),
        nested("sum(", ")", 199),
        nested("(", ")", 199),
        nested("-", "", 199),
        nested("", "+a", 199),
        nested("a^", "", 199),
        nested("", " or a", 199),
        nested("max_over_time(", "[1m:1m])", 99),
    ] {
        let body = at(&memory, &query, 600);
        assert!(body.starts_with("{\"status\":\"success\""), "{query}: {body}");
    }
    let body = at(&memory, &nested("(", ")", 200), 600);
    assert!(body.contains("expected at most 200 expressions within each other"), "{body}");
}
