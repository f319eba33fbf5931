//! Series that are rates, and coarse rows.

use series::Kind;

use super::{NOTHING, at, one, vector};

fn told(answer: &str, info: &str) -> bool {
    let value: serde_json::Value = serde_json::from_str(answer).unwrap();
    value["infos"].as_array().is_some_and(|all| all.iter().any(|it| it == info))
}

/// The value of the only series.
fn value(answer: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(answer).unwrap();
    let result = json["data"]["result"].as_array().unwrap();
    assert_eq!(result.len(), 1, "{answer}");
    result[0]["value"][1].as_str().unwrap().to_owned()
}

#[test]
fn the_rate_of_a_rate_is_its_average_and_the_answer_says_so() {
    let memory = one(Kind::Rate, 60, &[1.0, 2.0, f64::NAN, 6.0]);
    let rate = at(&memory, "rate(a[4m])", 240);
    assert_eq!(value(&rate), "3");
    let info = "PromQL info: \"a\" is a rate already, rate() is the average of its rows";
    assert!(told(&rate, info), "{rate}");
    let increase = at(&memory, "increase(a[4m])", 240);
    assert_eq!(value(&increase), "720");
    assert!(increase.contains("times the seconds of the range"), "{increase}");
    assert_eq!(value(&at(&memory, "irate(a[4m])", 240)), "6");
    assert_eq!(value(&at(&memory, "irate(a[4m])", 185)), "2");
}

#[test]
fn other_functions_of_rates_are_plain_and_tell_nothing() {
    let memory = one(Kind::Rate, 60, &[1.0, 2.0, 4.0, 6.0]);
    assert_eq!(at(&memory, "max_over_time(a[4m])", 240), vector(240, "6"));
    assert_eq!(at(&memory, "idelta(a[4m])", 240), vector(240, "2"));
}

#[test]
fn the_rate_of_a_gauge_is_that_of_a_counter() {
    let memory = one(Kind::Gauge, 60, &[1000.0, 1060.0, 1120.0, 1180.0]);
    assert_eq!(at(&memory, "rate(a[4m])", 240), vector(240, "1"));
    assert_eq!(at(&memory, "increase(a[4m])", 240), vector(240, "240"));
}

#[test]
fn a_selector_looks_back_two_steps_of_coarse_rows() {
    let memory = one(Kind::Gauge, 1_800, &[7.0]);
    assert_eq!(at(&memory, "a + 0", 1_799), NOTHING);
    assert_eq!(at(&memory, "a + 0", 1_800), vector(1_800, "7"));
    assert_eq!(at(&memory, "a + 0", 5_399), vector(5_399, "7"));
    assert_eq!(at(&memory, "a + 0", 5_400), NOTHING);
}

#[test]
fn of_fine_rows_it_looks_back_five_minutes() {
    let memory = one(Kind::Gauge, 10, &[7.0, f64::NAN, f64::NAN]);
    assert_eq!(at(&memory, "a + 0", 309), vector(309, "7"));
    assert_eq!(at(&memory, "a + 0", 310), NOTHING);
}

#[test]
fn a_range_holds_a_step_of_coarse_rows() {
    let memory = one(Kind::Rate, 1_800, &[7.0, 8.0]);
    assert_eq!(value(&at(&memory, "rate(a[5m])", 3_000)), "7");
    assert_eq!(value(&at(&memory, "increase(a[5m])", 3_600)), "2400");
    assert_eq!(at(&memory, "avg_over_time(a[5m])", 3_599), vector(3_599, "7"));
}

#[test]
fn a_row_that_ended_when_a_range_begins_is_not_in_it() {
    let memory = one(Kind::Gauge, 60, &[1.0, 2.0, 3.0]);
    assert_eq!(at(&memory, "count_over_time(a[2m])", 180), vector(180, "2"));
    assert_eq!(at(&memory, "sum_over_time(a[2m])", 181), vector(181, "5"));
}

#[test]
fn subqueries_of_rates_are_rates_too() {
    let memory = one(Kind::Rate, 60, &[1.0, 2.0, 4.0, 6.0]);
    for (query, expected) in [
        ("rate(a[4m:1m])", "2.3333333333333335"),
        ("rate(sum(a)[4m:1m])", "2.3333333333333335"),
        ("rate((a * 8)[4m:1m])", "18.666666666666668"),
        ("increase(a[4m:1m])", "560"),
    ] {
        let answer = at(&memory, query, 270);
        assert_eq!(value(&answer), expected, "{query}");
        assert!(answer.contains("\"infos\":[\"PromQL info: "), "{answer}");
    }
    let answer = at(&memory, "rate(count(a)[4m:1m])", 270);
    assert!(!answer.contains("infos"), "{answer}");
}
