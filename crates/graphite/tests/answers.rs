//! Answers that need no other program: forms, refusals, bounds and pictures.
#![allow(clippy::disallowed_methods)] // one test takes the time

mod common;

use std::time::Instant;

use common::{Memory, NOW, Stored};
use graphite::Limits;
use graphite::api::Answer;
use serde_json::Value;

fn stored(path: &str, step: i64, values: &[f64]) -> Stored {
    let start = NOW - 600;
    Stored { path: path.into(), start: start - start % step, step, values: values.to_vec() }
}

fn memory() -> Memory {
    let ramp: Vec<f64> = (0..40).map(f64::from).collect();
    let gaps: Vec<f64> = (0..40).map(|it| if it % 3 == 0 { f64::NAN } else { 1e-5 }).collect();
    Memory(vec![
        stored("a.b", 60, &ramp),
        stored("a.c", 60, &gaps),
        stored("a.c.d", 60, &ramp),
        stored("x;k=v", 60, &ramp),
    ])
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).expect("a text")
}

fn render(target: &str, more: &[(&str, &str)]) -> Answer {
    let mut parameters = vec![("target", target), ("from", "-5min"), ("format", "json")];
    parameters.extend(more);
    memory().answer("/render", &parameters)
}

#[test]
fn json_is_that_of_graphite() {
    let answer = render("a.{b,c}", &[("from", "-3min")]);
    assert_eq!((answer.status, answer.media_type), (200, "application/json"));
    let expected = "[{\"target\":\"a.b\",\"tags\":{\"name\":\"a.b\"},\"datapoints\":[\
        [7.0,1768476660],[8.0,1768476720],[9.0,1768476780]]},\
        {\"target\":\"a.c\",\"tags\":{\"name\":\"a.c\"},\"datapoints\":[\
        [1e-05,1768476660],[1e-05,1768476720],[null,1768476780]]}]";
    assert_eq!(text(&answer), expected);
    assert_eq!(text(&render("a.b|limit(0)", &[])), "[]");
}

#[test]
fn a_line_is_what_tells_a_client_that_all_is_well() {
    let answer = render("constantLine(100)", &[("maxDataPoints", "300")]);
    let value: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(value[0]["target"], "100.0");
    assert_eq!(value[0]["datapoints"].as_array().map(Vec::len), Some(3));
}

#[test]
fn csv_and_raw_are_texts() {
    let csv = render("alias(a.b,'x,\"y\"')", &[("format", "csv"), ("from", "-2min")]);
    let lines =
        "\"x,\"\"y\"\"\",2026-01-15 11:32:00,8.0\r\n\"x,\"\"y\"\"\",2026-01-15 11:33:00,9.0\r\n";
    assert_eq!((csv.media_type, text(&csv).as_str()), ("text/csv", lines));
    let raw = render("a.c", &[("format", "raw"), ("from", "-2min")]);
    assert_eq!(text(&raw), "a.c,1768476720,1768476840,60|1e-05,None\n");
}

#[test]
fn what_is_wrong_is_told_in_a_line() {
    for (target, words) in [
        ("scale(a.b", "byte 9: expected , or ) after an argument"),
        ("randomWalk('x')", "there is no function \"randomWalk\" here"),
        ("scale(a.b)", "scale(): expected an argument for factor"),
        ("scale(a.b,'x')", "scale(), factor: expected a number, found the text \"x\""),
        ("scale(a.b,1,2)", "scale(): expected at most 2 arguments, found 3"),
        ("scale(a.b,factr=1)", "found \"factr\""),
        ("scale(a.b,1,factor=1)", "not yet given, found \"factor\""),
        ("summarize(a.b,'1m')", "expected an interval in quotes"),
        ("summarize(a.b,'-1h')", "longer than none"),
        ("consolidateBy(a.b,'mean')", "expected one of average, avg, avg_zero"),
        ("aliasSub(a.b,'(','x')", "no regular expression"),
        ("divideSeries(a.b,a.*)", "expected one series as divisor, found 2"),
        ("areaBetween(a.b)", "expected exactly 2 series, found 1"),
        ("aggregate(a.b,'mode')", "expected one of average"),
        ("seriesByTag('k')", "expected a condition on a tag"),
        ("seriesByTag('k!=v')", "that an empty value does not meet"),
        ("timeSlice(a.b,'someday')", "expected a time"),
        ("a.b)", "expected the end of the target"),
    ] {
        let answer = render(target, &[]);
        let said = text(&answer);
        assert_eq!(answer.status, 400, "{target}: {said}");
        assert!(said.contains(words), "{target}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn wrong_parameters_are_named() {
    for (name, value) in [
        ("format", "pickle"),
        ("format", "msgpack"),
        ("jsonp", "f"),
        ("from", "someday"),
        ("until", "-5min"),
        ("tz", "Moon/Base"),
        ("maxDataPoints", "0"),
        ("maxDataPoints", "many"),
        ("graphType", "pie"),
        ("xFilesFactor", "x"),
    ] {
        let answer = render("a.b", &[(name, value)]);
        assert_eq!(answer.status, 400, "{name}={value}: {}", text(&answer));
    }
    for (path, parameters) in [
        ("/metrics/find", vec![]),
        ("/metrics/find", vec![("query", "a"), ("format", "pickle")]),
        ("/tags/autoComplete/values", vec![]),
        ("/tags/findSeries", vec![]),
        ("/tags/findSeries", vec![("expr", "k")]),
    ] {
        assert_eq!(memory().answer(path, &parameters).status, 400, "{path} {parameters:?}");
    }
}

/// Series join by their rows: one that begins later has unknown rows first.
#[test]
fn a_younger_series_joins_in_its_place() {
    let mut memory = memory();
    let late = NOW - NOW % 60 - 120;
    memory.0.push(Stored { path: "late".into(), start: late, step: 60, values: vec![100.0; 9] });
    let parameters = [("target", "sumSeries(a.b,late)"), ("from", "-4min"), ("format", "raw")];
    let raw = text(&memory.answer("/render", &parameters));
    assert_eq!(raw, "sumSeries(a.b,late),1768476600,1768476840,60|6.0,7.0,108.0,109.0\n");
}

/// Times within targets count from the request's.
#[test]
fn now_may_be_given() {
    let target = "timeSlice(a.b,'-3min','-1min')";
    let more = [("from", "-5min"), ("now", "1768476840"), ("format", "raw")];
    let raw = text(&render(target, &more));
    let name = "timeSlice(a.b, 1768476660, 1768476780)";
    let rows = "1768476540,1768476840,60|None,None,7.0,8.0,9.0";
    assert_eq!(raw, format!("{name},{rows}\n"));
}

/// No request takes more than it may, whatever it asks for.
#[test]
fn what_would_take_too_much_is_refused() {
    let limits = Limits { values: 100_000, work: 10_000_000, ..Limits::default() };
    let many_values = format!("group({})", vec!["a.*"; 2_000].join(","));
    let nested = |function: &str, count: usize| {
        let mut target = "a.b".to_owned();
        (0..count).for_each(|_| target = format!("{function}({target},5)"));
        target
    };
    let doubled = |count: usize| {
        let mut target = "a.b".to_owned();
        (0..count).for_each(|_| target = format!("aliasSub({target},'.*','\\g<0>\\g<0>')"));
        target
    };
    for target in [
        many_values,
        nested("movingAverage", 60),
        doubled(60),
        "timeFunction('t',1)".into(),
        "summarize(a.b,'1s')".into(),
        "hitcount(a.b,'1s')".into(),
        "timeStack(a.b,'1d',0,999999999)".into(),
        "movingAverage(a.b,9999999999)".into(),
    ] {
        let parameters = [("target", target.as_str()), ("from", "-20y"), ("format", "json")];
        let shown = &target[..target.len().min(80)];
        let source = Memory(vec![stored("a.b", 86_400, &[1.0, 2.0])]);
        let answer = source.answer_within("/render", &parameters, limits);
        let said: String = text(&answer).chars().take(200).collect();
        assert!(answer.status == 400 && said.contains("expected"), "{shown}: {said}");
        assert!(!said.contains("byte"), "{shown}: {said}");
    }
}

#[test]
fn a_stopped_request_says_so() {
    use graphite::api::{Parameters, render};
    let memory = memory();
    let setting = graphite::Setting {
        now_seconds: NOW,
        zone: &jiff::tz::TimeZone::UTC,
        zone_named: &|_| None,
        limits: Limits::default(),
        goes_on: &|| false,
    };
    let store = graphite::Store { paths: &memory, source: &memory };
    let pairs = [("target", "movingAverage(time('t',1),100)"), ("format", "json")];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(render(&Parameters::new(pairs), store, &setting).status, 503);
}

#[test]
fn pictures_are_drawn() {
    for target in [
        "a.*",
        "stacked(a.*)",
        "areaBetween(group(a.b,scale(a.b,2)))",
        "color(lineWidth(dashed(a.b),2),'ff000080')",
        "alpha(color(a.b,'red'),0.3)",
        "threshold(5,'the: limit\\\\','green')",
        "drawAsInfinite(a.c)",
        "verticalLine('-2min','now','blue')",
        "secondYAxis(a.b)",
        "holtWintersConfidenceArea(a.b)",
        "nothing.here",
        "cumulative(time('t',1))",
        "alias(a.b,'')",
    ] {
        let more = [("title", "A & B: 5 %"), ("vtitle", "y"), ("yMin", "0"), ("width", "400")];
        for (format, start) in [("png", "\u{fffd}PNG"), ("svg", "<"), ("pdf", "%PDF")] {
            let mut parameters = vec![("format", format)];
            parameters.extend(more);
            let answer = render(target, &parameters);
            let body = String::from_utf8_lossy(&answer.body);
            assert_eq!(answer.status, 200, "{target}: {body}");
            assert!(
                body.starts_with(start),
                "{target} as {format}: {}",
                &body[..body.len().min(40)]
            );
        }
        for mode in ["none", "all", "first", "stacked"] {
            let more = [("format", "svg"), ("areaMode", mode), ("hideLegend", "true")];
            assert_eq!(render(target, &more).status, 200, "{target} {mode}");
        }
    }
    for (name, value) in [("width", "9"), ("width", "5000"), ("areaMode", "x"), ("yMin", "low")] {
        assert_eq!(render("a.b", &[("format", "png"), (name, value)]).status, 400, "{name}");
    }
    assert_eq!(render("color(a.b,'mauve')", &[("format", "png")]).status, 400);
}

#[test]
fn nodes_may_be_series_and_branches() {
    let tree = text(&memory().answer("/metrics/find", &[("query", "a.*")]));
    let expected = "[{\"text\":\"c\",\"id\":\"a.c\",\"allowChildren\":1,\"expandable\":1,\"leaf\":1},\
        {\"text\":\"b\",\"id\":\"a.b\",\"allowChildren\":0,\"expandable\":0,\"leaf\":1}]";
    assert_eq!(tree, expected);
    let index = text(&memory().answer("/metrics/index.json", &[]));
    assert_eq!(index, "[\"a.b\",\"a.c\",\"a.c.d\"]");
}

#[test]
fn every_function_is_told_and_tested() {
    let body = memory().answer("/functions", &[]).body;
    let text = String::from_utf8(body).expect("a text").replace("1e9999", "1e300");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let all = all.as_object().expect("an object");
    assert!(all.len() > 130, "{} functions", all.len());
    let targets = include_str!("targets.txt");
    for (name, function) in all {
        for key in ["name", "function", "description", "module", "group", "params"] {
            assert!(!function[key].is_null(), "{name}: {key}");
        }
        let is_tested =
            targets.lines().any(|it| it.contains(&format!("{name}(")) && !it.starts_with('#'));
        assert!(is_tested, "targets.txt has no {name}()");
    }
    assert_eq!(all["scale"]["function"], "scale(seriesList, factor)");
    assert_eq!(all["scale"]["params"][1]["required"], true);
    assert_eq!(all["movingAverage"]["params"][1]["suggestions"][0], 5);
    assert_eq!(memory().answer("/functions/scale", &[]).status, 200);
    assert_eq!(memory().answer("/functions/nothing", &[]).status, 404);
    assert_eq!(memory().answer("/version", &[]).body, b"1.1.8\n");
    assert_eq!(memory().answer("/events/get_data", &[]).body, b"[]");
}

/// Every function of the manual is one of the table, and the other way round.
#[test]
fn the_manual_lists_every_function() {
    let manual = include_str!("../../../docs/graphite.md");
    let body = memory().answer("/functions", &[("grouped", "1")]).body;
    let text = String::from_utf8(body).expect("a text").replace("1e9999", "1e300");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    for (group, functions) in all.as_object().expect("an object") {
        for (name, function) in functions.as_object().expect("an object") {
            let signature = function["function"].as_str().expect("a text");
            let about = function["description"].as_str().expect("a text");
            let row = format!("| {group} | `{signature}` | {about} |");
            assert!(manual.contains(&row), "docs/graphite.md lacks {name}:\n{row}");
        }
    }
}

/// A hundred series of six hundred rows in JSON. The bound is wide, for a test may be slow.
#[test]
fn json_is_written_fast() {
    let many = |nth: i64| Stored {
        path: format!("many.s{nth}"),
        start: NOW - NOW % 60 - 600 * 60,
        step: 60,
        values: (0..700).map(|it| (it * nth) as f64 * 1.000_1 / 7.0).collect(),
    };
    let memory = Memory((0..100).map(many).collect());
    let parameters = [("target", "many.*"), ("from", "-10h"), ("format", "json")];
    let times = (0..5).map(|_| {
        let start = Instant::now();
        let answer = memory.answer("/render", &parameters);
        assert!(answer.body.len() > 1_000_000);
        start.elapsed()
    });
    let least = times.min().expect("there are five");
    println!("100 series of 600 rows: {least:?}");
    assert!(least.as_millis() < 1_000, "{least:?}");
}
