//! Answers against those of Debian's graphite-web, over the same series.
#![allow(clippy::disallowed_methods)] // it starts graphite-web
#![allow(dead_code)] // what it shares with the other tests has more than it needs

mod common;
mod graphite_web;

use common::{Memory, NOW, Stored};
use graphite_web::GraphiteWeb;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

mod against;

use against::{compare, series};

/// Targets with every function. `@` stands for a time within the series.
const TARGETS: &str = include_str!("targets.txt");

const START: i64 = NOW - 7_200;

fn both() -> Option<(Memory, GraphiteWeb)> {
    let memory = Memory(series());
    let web = GraphiteWeb::start(&memory.0)?;
    Some((memory, web))
}

fn window(start: i64, end: i64) -> [(&'static str, String); 4] {
    [
        ("from", start.to_string()),
        ("until", end.to_string()),
        ("now", NOW.to_string()),
        ("format", "json".to_owned()),
    ]
}

/// Both answers to a target; what differs.
fn difference(
    memory: &Memory,
    web: &mut GraphiteWeb,
    target: &str,
    more: &[(&str, &str)],
) -> Option<String> {
    let window = window(START, NOW);
    let mut parameters: Vec<(&str, &str)> = window.iter().map(|(a, b)| (*a, b.as_str())).collect();
    parameters.push(("target", target));
    parameters.extend(more);
    let ours = memory.answer("/render", &parameters);
    let theirs = web.ask("/render", &parameters);
    compare(&ours, &theirs).map(|it| format!("{target} {more:?}\n    {it}"))
}

#[test]
fn every_function_says_the_same() {
    let Some((memory, mut web)) = both() else { return };
    let targets =
        TARGETS.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
    let mut all: Vec<String> = Vec::new();
    let mut count = 0;
    for target in targets {
        count += 1;
        let at = |offset: i64| (NOW - offset).to_string();
        let target = target.replace("@1h", &at(3600)).replace("@30min", &at(1800));
        all.extend(difference(&memory, &mut web, &target, &[]));
    }
    assert!(all.is_empty(), "{} of {count} targets:\n{}", all.len(), all.join("\n"));
}

/// Points that are too many, in every kind of consolidation.
#[test]
fn points_become_fewer_as_theirs() {
    let Some((memory, mut web)) = both() else { return };
    let mut all: Vec<String> = Vec::new();
    for target in [
        "servers.*.load",
        "consolidateBy(servers.*.load,'max')",
        "consolidateBy(servers.*.load,'min')",
        "consolidateBy(servers.*.load,'first')",
        "consolidateBy(servers.*.load,'last')",
        "consolidateBy(servers.*.load,'avg_zero')",
        "cumulative(mixed.*)",
        "group(mixed.*,constantLine(3),servers.a.load)",
        "setXFilesFactor(gaps.*,0.6)",
        "sumSeries(setXFilesFactor(gaps.*,0.6))",
    ] {
        for most in ["1", "2", "7", "33", "100", "1000"] {
            all.extend(difference(&memory, &mut web, target, &[("maxDataPoints", most)]));
        }
        all.extend(difference(&memory, &mut web, target, &[("noNullPoints", "true")]));
        let more = [("maxDataPoints", "13"), ("xFilesFactor", "0.7")];
        all.extend(difference(&memory, &mut web, target, &more));
    }
    assert!(all.is_empty(), "{} targets:\n{}", all.len(), all.join("\n"));
}

#[test]
fn csv_and_raw_are_theirs() {
    let Some((memory, mut web)) = both() else { return };
    for format in ["csv", "raw"] {
        for target in ["gaps.*", "alias(scale(gaps.some,0.1),'a, \"b\"')", "mixed.*"] {
            let (from, until) = (START.to_string(), NOW.to_string());
            let parameters = [
                ("from", from.as_str()),
                ("until", &until),
                ("format", format),
                ("tz", "Europe/Berlin"),
                ("target", target),
            ];
            let ours = String::from_utf8(memory.answer("/render", &parameters).body).unwrap();
            let theirs = web.ask("/render", &parameters).body;
            assert_eq!(ours, theirs, "{target} as {format}");
        }
    }
}

/// Times of requests, shown by the start and the end of a line.
#[test]
fn times_are_theirs() {
    let Some((memory, mut web)) = both() else { return };
    let mut all = Vec::new();
    for from in [
        "-1h",
        "-90min",
        "-2d",
        "-1w",
        "-1mon",
        "-1y",
        "midnight",
        "noon",
        "yesterday",
        "20260101",
        "04:00_20260110",
        "noon yesterday",
        "6pm_yesterday",
        "monday",
        "01/05/26",
        "jan 8",
        "january8",
        "teatime_-1w",
        "1768000000",
        "today",
        "8:30am",
        "sunday",
        "midnight-2h",
        "-1d12h",
        "00:00_20251231+90min",
    ] {
        for zone in ["UTC", "America/New_York"] {
            let parameters = [
                ("target", "constantLine(1)"),
                ("from", from),
                ("until", "tomorrow"),
                ("now", &NOW.to_string()),
                ("tz", zone),
                ("format", "json"),
            ];
            let ours = memory.answer("/render", &parameters);
            let theirs = web.ask("/render", &parameters);
            all.extend(compare(&ours, &theirs).map(|it| format!("{from} in {zone}: {it}")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn metrics_and_tags_are_theirs() {
    let Some((memory, mut web)) = both() else { return };
    let mut all = Vec::new();
    let queries =
        ["*", "servers.*", "servers.*.*", "s*", "servers.{a,b}", "nothing.*", "gaps.some"];
    let mut ask = |path: &str, parameters: &[(&str, &str)]| {
        let ours = memory.answer(path, parameters);
        let theirs = web.ask(path, parameters);
        let as_value = |body: &[u8]| {
            let mut value = serde_json::from_slice::<Value>(body).ok()?;
            // Nodes of the same name come in an order of chance.
            if let Some(nodes) = value.get_mut("metrics").and_then(Value::as_array_mut) {
                nodes.sort_by_key(ToString::to_string);
            }
            Some(value)
        };
        let (mine, other) = (as_value(&ours.body), as_value(theirs.body.as_bytes()));
        if (ours.status, &mine) != (theirs.status, &other) {
            all.push(format!("{path} {parameters:?}\n  {mine:?}\n  {other:?}"));
        }
    };
    for query in queries {
        ask("/metrics/find", &[("query", query)]);
        ask("/metrics/find", &[("query", query), ("wildcards", "1")]);
        ask("/metrics/find", &[("query", query), ("format", "completer")]);
        ask("/metrics/find", &[("query", query), ("format", "nodelist")]);
        ask("/metrics/expand", &[("query", query)]);
        ask("/metrics/expand", &[("query", query), ("query", "gaps.*"), ("groupByExpr", "1")]);
        ask("/metrics/expand", &[("query", query), ("leavesOnly", "1")]);
    }
    ask("/tags/autoComplete/tags", &[]);
    ask("/tags/autoComplete/tags", &[("tagPrefix", "d")]);
    ask("/tags/autoComplete/tags", &[("expr", "name=disk.used")]);
    ask("/tags/autoComplete/tags", &[("limit", "1")]);
    ask("/tags/autoComplete/values", &[("tag", "server")]);
    ask("/tags/autoComplete/values", &[("tag", "name"), ("valuePrefix", "disk")]);
    ask("/tags/autoComplete/values", &[("tag", "server"), ("expr", "dc=east")]);
    ask("/tags/autoComplete/values", &[("tag", "dc"), ("expr", "server=~a|b")]);
    for expr in ["dc=east", "dc!=east", "dc=~ea", "server!=~^a$", "name=disk.used"] {
        ask("/tags/findSeries", &[("expr", expr), ("expr", "name=~disk")]);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Functions within functions, drawn at random.
#[test]
fn nestings_say_the_same() {
    let Some((memory, mut web)) = both() else { return };
    // Always the same ones, unless more are asked for: graphite-web itself fails on a few.
    let cases: Option<u32> =
        std::env::var("GRAPHITE_CASES").ok().map(|text| text.parse().expect("a number of cases"));
    let config =
        Config { cases: cases.unwrap_or(150), failure_persistence: None, ..Config::default() };
    let mut runner = match cases {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let web = std::cell::RefCell::new(&mut web);
    let run = runner.run(&against::targets(), |target| {
        match difference(&memory, &mut web.borrow_mut(), &target, &[]) {
            None => Ok(()),
            Some(difference) => Err(proptest::test_runner::TestCaseError::fail(difference)),
        }
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

/// What is stored is what the tests believe it is.
#[test]
fn the_series_have_values_and_gaps() {
    let all: Vec<Stored> = series();
    assert!(all.iter().any(|it| it.values.iter().any(|it| it.is_nan())));
    assert!(all.iter().filter(|it| it.values.iter().any(|it| !it.is_nan())).count() > 10);
}
