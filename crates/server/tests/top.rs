//! The first of all targets, asked from the router without a port.

#![allow(clippy::disallowed_methods, reason = "it measures how long it waits")]

mod client;
mod fixture;

use std::path::Path;
use std::time::{Duration, Instant};

use client::Client;
use fixture::{Fixture, NOW_SECONDS, fixture, name};
use rrd::ConsolidationFunction;
use rrd::fetch::Query;
use serde_json::Value;

/// Targets, and how many of them have a history.
const TARGETS: usize = 36;
const FILLED: usize = 14;

/// What a list says once it is made.
fn ranks(client: &Client, words: &str) -> Value {
    let begun = Instant::now();
    loop {
        let answer = client.get(&format!("/api/ranks?{words}"));
        assert_eq!(answer.status, 200, "{words}: {}", answer.text());
        let answer = answer.json();
        if answer["state"] == "known" {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{words}: {answer}");
    }
}

fn names(answer: &Value) -> Vec<String> {
    let ranks = answer["ranks"].as_array().expect("a list");
    ranks.iter().map(|row| row["target"].as_str().expect("a name").to_owned()).collect()
}

/// Each filled target with the greater of its two average rates over a span that ends so long ago.
fn averages(site: &Fixture, seconds: i64, ago_seconds: i64) -> Vec<(String, [f64; 2])> {
    let rates = (0..FILLED).map(|nth| {
        let end_seconds = NOW_SECONDS - ago_seconds;
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf: ConsolidationFunction::Average,
            start_seconds: end_seconds - seconds,
            end_seconds,
            step_seconds: 300,
        };
        let file = format!("{}.rrd", name(nth));
        let rows = site.context.store.fetch(Path::new(&file), &query).expect("rows");
        let averages = [0, 1].map(|column| {
            let values = rows.values.iter().skip(column).step_by(2).filter(|it| it.is_finite());
            values.clone().sum::<f64>() / values.count() as f64
        });
        (name(nth), averages)
    });
    rates.collect()
}

fn first(mut scored: Vec<(String, f64)>, most: usize) -> Vec<String> {
    scored.sort_by(|one, other| other.1.total_cmp(&one.1));
    scored.into_iter().take(most).map(|(name, _)| name).collect()
}

#[test]
fn targets_are_ranked_by_their_averages_and_by_how_these_changed() {
    let site = fixture(TARGETS, FILLED, 9);
    let greater = |[input, output]: [f64; 2]| input.max(output);
    let day = averages(&site, 86_400, 0);
    let before = averages(&site, 86_400, 7 * 86_400);
    let by_rate: Vec<_> = day.iter().map(|(name, it)| (name.clone(), greater(*it))).collect();
    let by_out: Vec<_> = day.iter().map(|(name, it)| (name.clone(), it[1])).collect();
    let by_change = day.iter().zip(&before).map(|((name, now), (_, then))| {
        let moved = [0, 1].map(|nth: usize| (now[nth] - then[nth]).abs());
        (name.clone(), greater(moved))
    });
    let by_change: Vec<_> = by_change.collect();
    let client = Client::new(site);
    let told = ranks(&client, "by=traffic&span=day&n=5");
    assert_eq!(names(&told), first(by_rate.clone(), 5));
    assert_eq!(
        (&told["concerned"], &told["unread"]),
        (&TARGETS.into(), &(TARGETS - FILLED).into())
    );
    // Values are told as they are shown: in bits.
    let (_, most) = by_rate.iter().max_by(|one, other| one.1.total_cmp(&other.1)).expect("some");
    let shown = told["ranks"][0]["values"].as_array().expect("two values");
    let shown = shown.iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    assert!((shown - most * 8.0).abs() < 1e-6 * shown, "{shown} {most}");
    assert_eq!(names(&ranks(&client, "by=traffic&span=day&line=out&n=9")), first(by_out, 9));
    assert_eq!(names(&ranks(&client, "by=change&n=7")), first(by_change, 7));
    let page = client.get("/top?by=change&n=7").text().to_owned();
    assert!(page.contains("<h1>Changed most</h1>") && page.contains(" %</small>"), "{page}");
}

#[test]
fn the_newest_rates_are_ranked_and_filtered() {
    let client = Client::new(fixture(TARGETS, FILLED, 2));
    let all = names(&ranks(&client, "n=1000"));
    assert!(all.len() > FILLED / 2 && all.len() <= FILLED, "{all:?}");
    let used = ranks(&client, "by=utilisation&n=1000");
    assert_eq!(names(&used), all, "all have the same maximum");
    let share = used["ranks"][0]["score"].as_f64().expect("a share");
    assert!(share > 0.0 && share < 1.0, "{share}");
    let found = names(&ranks(&client, "q=FRANKFURT+core1&n=1000"));
    let mut expected = all.clone();
    // Every fourth port is an uplink to Frankfurt.
    expected
        .retain(|name| ["site01-core1_4", "site01-core1_8", "site01-core1_12"].contains(&&**name));
    assert_eq!(found, expected);
    let of_device = names(&ranks(&client, "device=site01-edge2&n=1000"));
    assert!(!of_device.is_empty() && of_device.iter().all(|it| it.starts_with("site01-edge2_")));
    let silent = ranks(&client, "by=silent&n=1000");
    assert_eq!(names(&silent).len() + all.len(), TARGETS);
    assert!(names(&ranks(&client, "by=errors")).is_empty());
    let page = client.get("/top");
    assert!(page.text().contains("<h1>Most traffic</h1>"), "{}", page.text());
    assert!(page.text().contains(&format!("href=\"/t/{}\"", all[0])), "{}", page.text());
    assert!(page.headers.get("refresh").is_none());
    let none = client.get("/top?by=errors");
    assert!(none.text().contains("No target is of this kind."), "{}", none.text());
}

#[test]
fn devices_are_ranked_and_broken_limits_are_listed() {
    let client = Client::new(fixture(120, 1, 1));
    let slow = client.get("/top?by=slow");
    let rows: Vec<&str> = slow.text().split("<tr>").skip(2).collect();
    assert!(rows[0].contains("site01-core1<") && rows.len() == 9, "{}", slow.text());
    let failing = client.get("/top?by=failing");
    assert!(failing.text().contains("silent: no answer to 5 datagrams"), "{}", failing.text());
    let broken = client.get("/top?by=broken");
    for words in ["<b>1</b> limits are broken", "ThreshMaxI", "above the limit &lt;90&gt;"] {
        assert!(broken.text().contains(words), "{words}: {}", broken.text());
    }
    let told = client.get("/api/ranks?by=broken").json();
    assert_eq!(told["broken"][0]["target"], name(3));
    let other = client.get("/top?by=broken&q=nothing-has-this");
    assert!(other.text().contains("Every limit"), "{}", other.text());
}

#[test]
fn the_stores_page_shows_what_is_measured_found_and_left() {
    let client = Client::new(fixture(1, 1, 2));
    let page = client.get("/store");
    for words in [
        "<dt>Cycle: polling</dt>",
        "room for 1,230,000 more like them",
        "sda: &lt;bfq&gt; sorts requests",
        "src=\"/store/memory/day.svg\"",
        "aria-current=\"page\">day</a>",
    ] {
        assert!(page.text().contains(words), "{words}: {}", page.text());
    }
    let graph = client.get("/store/cycle/week.svg?size=narrow&paper=dark");
    assert_eq!(
        (graph.status, &graph.headers["content-type"]),
        (200, &"image/svg+xml".parse().unwrap())
    );
    let tag = graph.headers["etag"].to_str().expect("it is text");
    let again =
        client.get_with("/store/cycle/week.svg?size=narrow&paper=dark", &[("if-none-match", tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    for (address, status) in [
        ("/store?period=century", 400),
        ("/store/cycle/century.svg", 404),
        ("/store/nothing/day.svg", 404),
        ("/store/cycle/day.svg?size=vast", 400),
    ] {
        assert_eq!(client.get(address).status, status, "{address}");
    }
}

#[test]
fn wrong_words_are_told() {
    let client = Client::new(fixture(1, 0, 0));
    for (words, expected) in [
        ("by=size", "by: expected traffic, utilisation"),
        ("span=1d", "span: expected last, hour, day"),
        ("n=1001", "n: expected a number from 1 to 1000"),
        ("measure=%3Cb%3E", "measure: expected average, maximum, p95"),
    ] {
        let page = client.get(&format!("/top?{words}"));
        assert!(page.status == 400 && page.text().contains(expected), "{}", page.text());
        let answer = client.get(&format!("/api/ranks?{words}"));
        assert_eq!(answer.status, 400);
        assert!(answer.json()["error"].as_str().is_some_and(|it| it.starts_with(expected)));
    }
    let devices = client.get("/api/ranks?by=slow");
    assert_eq!(devices.status, 400);
}
