//! Rows for charts, requested from the router without a port.

mod fixture;
mod client;

use std::path::Path;

use client::Client;
use fixture::{NOW_SECONDS, fixture, name};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch, Tick};
use serde_json::Value;

const FACTOR: f64 = 8.0;

/// The rows of a member of a line; `None` is unknown.
fn column(line: &Value, member: &str) -> Vec<Option<f64>> {
    let rows = line[member].as_array().unwrap_or_else(|| panic!("{member}: {line}"));
    rows.iter().map(Value::as_f64).collect()
}

/// The first chart of an answer.
fn chart(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("/api/charts?{query}"));
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    assert_eq!(answer.headers["content-type"], "application/json");
    answer.json()["charts"][0].clone()
}

/// What the store answers for the database of the first target.
fn stored(site: &fixture::Fixture, cf: ConsolidationFunction, span: [i64; 2]) -> Stretch {
    let [start_seconds, end_seconds] = span;
    let step_seconds = (end_seconds - start_seconds).unsigned_abs() / 400;
    let query = Query { cf, tick: Tick::SECOND, start_seconds, end_seconds, step_seconds };
    let database = format!("{}.rrd", name(0));
    site.context.store.fetch_stretch(Path::new(&database), &query).expect("it answers")
}

/// A column of what the store answers, in the unit that is shown, as JSON has it.
fn shown(rows: &Stretch, column: usize) -> Vec<String> {
    let values = rows.held.iter().skip(column).step_by(2).map(|value| value * FACTOR);
    let text = |value: f64| if value.is_finite() { format!("{value:?}") } else { "null".into() };
    values.map(text).collect()
}

#[test]
fn rows_are_those_of_the_store_in_the_unit_that_is_shown() {
    let site = fixture(1, 1, 20);
    let span = [NOW_SECONDS - 7 * 86_400, NOW_SECONDS];
    let average = stored(&site, ConsolidationFunction::Average, span);
    let maximum = stored(&site, ConsolidationFunction::Max, span);
    let client = Client::new(site);
    let [start, end] = span;
    let query = format!("t={}&start={start}&end={end}", name(0));
    let answer = client.get(&format!("/api/charts?{query}"));
    let (text, chart) = (answer.text(), chart(&client, &query));
    assert_eq!(chart["step_seconds"], 1800);
    assert_eq!(chart["archive"], "AVERAGE of 800 rows of 30 min");
    let first = average.start_seconds + (average.rows_before as i64 + 1) * 1800;
    assert_eq!(chart["first"], first);
    for (nth, source) in ["ds0", "ds1"].into_iter().enumerate() {
        let line = &chart["lines"][nth];
        assert_eq!(line["source"], source);
        for (member, rows) in [("average", &average), ("maximum_rows", &maximum)] {
            let exact = format!("\"{member}\":[{}]", shown(rows, nth).join(","));
            assert!(text.contains(&exact), "{source}: {member}");
        }
        assert_eq!(line["minimum"], Value::Null, "no archive has it");
        assert_eq!(line["maximum"], 1e9);
        let known: Vec<f64> = column(line, "average").into_iter().flatten().collect();
        assert!(known.len() > 300 && known.len() < 340, "an outage is a gap: {}", known.len());
        assert_eq!(line["last"].as_f64(), known.last().copied());
        let below = |at: f64| known.iter().filter(|value| **value <= at).count() as f64;
        let percentile = line["percentile_95"].as_f64().expect("a number");
        let share = below(percentile) / known.len() as f64;
        assert!((0.945..0.96).contains(&share), "{share}");
    }
    let limit = &chart["lines"][0]["limits"][0];
    assert_eq!(
        (limit["at"].as_f64(), limit["words"].as_str()),
        (Some(4e8), Some("ThreshMaxI 40%"))
    );
}

#[test]
fn the_archive_follows_the_span() {
    let client = Client::new(fixture(1, 1, 400));
    for (start, step) in [("end-6h", 300), ("end-1d", 300), ("end-8d", 1800), ("end-33d", 7200)] {
        let chart = chart(&client, &format!("t={}&start={start}", name(0)));
        assert_eq!(chart["step_seconds"], step, "{start}");
    }
    let year = chart(&client, &format!("t={}&start=end-390d", name(0)));
    assert_eq!(year["step_seconds"], 86_400);
    assert!(column(&year["lines"][0], "average").len() > 385);
}

#[test]
fn a_margin_is_of_the_same_archive() {
    let client = Client::new(fixture(1, 1, 30));
    let query = format!("t={}&start=end-2d", name(0));
    let (plain, wide) = (chart(&client, &query), chart(&client, &format!("{query}&margin=172800")));
    // Rows of five minutes reach back 800 of them; those of half an hour would reach further.
    assert_eq!((&plain["step_seconds"], &wide["step_seconds"]), (&300.into(), &300.into()));
    assert_eq!(column(&wide["lines"][0], "average").len(), 800);
    assert_eq!(wide["first"].as_i64(), Some(NOW_SECONDS - 799 * 300));
    let average = |chart: &Value| column(&chart["lines"][0], "average");
    assert!(average(&wide).ends_with(&average(&plain)));
    assert_eq!(wide["lines"][0]["percentile_95"], plain["lines"][0]["percentile_95"]);
}

#[test]
fn many_rows_are_put_together_and_their_extremes_kept() {
    let client = Client::new(fixture(1, 1, 3));
    let name = name(0);
    let fine = chart(&client, &format!("t={name}&start=end-2d&points=1000"));
    let coarse = chart(&client, &format!("t={name}&start=end-2d&points=100"));
    assert_eq!(coarse["step_seconds"], 1800, "its own archive of half hours");
    let merged = chart(&client, &format!("t={name}&start=end-12h&points=60"));
    assert_eq!(merged["step_seconds"], 900);
    assert_eq!(merged["archive"], "AVERAGE of 800 rows of 5 min; 3 of them are one here");
    let (fine, merged) = (&fine, &merged);
    let end_of = |chart: &Value, nth: usize| {
        chart["first"].as_i64().expect("a time")
            + nth as i64 * chart["step_seconds"].as_i64().expect("a step")
    };
    let average = column(&fine["lines"][0], "average");
    let behind = |end: i64| -> Vec<f64> {
        let rows = average.iter().enumerate();
        let rows = rows.filter(|(nth, _)| (end - 899..=end).contains(&end_of(fine, *nth)));
        rows.filter_map(|(_, value)| *value).collect()
    };
    let line = &merged["lines"][0];
    let columns = ["average", "minimum", "maximum_rows"].map(|member| column(line, member));
    // The rows at both ends hold rows of the archive that the other chart does not show.
    for (nth, told) in columns[0].iter().enumerate().skip(1).take(columns[0].len() - 2) {
        let rows = behind(end_of(merged, nth));
        let Some(most) = rows.iter().copied().reduce(f64::max) else { continue };
        assert_eq!(columns[2][nth], Some(most));
        assert_eq!(columns[1][nth], rows.iter().copied().reduce(f64::min));
        let mean = rows.iter().sum::<f64>() / rows.len() as f64;
        let told = told.expect("it is known");
        assert!((told - mean).abs() < mean * 1e-12, "{told} is not {mean}"); // as JSON is read here
    }
}

#[test]
fn a_ghost_is_the_same_span_of_that_long_ago() {
    let client = Client::new(fixture(1, 1, 20));
    let name = name(0);
    let (start, end) = (NOW_SECONDS - 86_400, NOW_SECONDS);
    let week = 7 * 86_400;
    let with = chart(&client, &format!("t={name}&start={start}&end={end}&ghost={week}"));
    let ghost = column(&with["lines"][0], "ghost");
    assert_eq!(ghost.len(), column(&with["lines"][0], "average").len());
    // The rows of five minutes do not reach back so far: those of half an hour answer.
    let query = format!("t={name}&start={}&end={}", start - week, end - week);
    let then = chart(&client, &query);
    assert_eq!(then["step_seconds"], 1800);
    let rows = column(&then["lines"][0], "average");
    let first = with["first"].as_i64().expect("a time") - week;
    let then_start = then["first"].as_i64().expect("a time") - 1800;
    for (nth, value) in ghost.iter().enumerate() {
        let row = (first + nth as i64 * 300 - 1 - then_start) / 1800;
        assert_eq!(*value, rows[row as usize], "{nth}");
    }
    let without = chart(&client, &format!("t={name}"));
    assert_eq!(without["lines"][0]["ghost"], Value::Null);
}

#[test]
fn a_target_that_was_not_measured_has_a_chart_without_rows() {
    let client = Client::new(fixture(3, 1, 1));
    let query = format!("/api/charts?t={}&t={}", name(0), name(2));
    let both = client.get(&query).json();
    let charts = both["charts"].as_array().expect("charts");
    assert_eq!(charts.len(), 2);
    assert_eq!(charts[1]["name"], name(2));
    assert_eq!(charts[1]["page"], format!("/t/{}", name(2)));
    assert_eq!(
        (&charts[1]["problem"], charts[1]["lines"].as_array().map(Vec::len)),
        (&Value::Null, Some(2))
    );
    assert_eq!(column(&charts[1]["lines"][0], "average"), []);
}

#[test]
fn a_question_that_is_wrong_is_told_why() {
    let client = Client::new(fixture(1, 1, 1));
    let name = name(0);
    for (query, status, words) in [
        (String::new(), 400, "expected 1 to 100 targets or databases"),
        (format!("t={name}&points=4001"), 400, "points: expected a whole number from 1 to 4000"),
        (format!("t={name}&start=now&end=now-1d"), 400, "expected a time before the end"),
        (format!("t={name}&start=noonish"), 400, "start: "),
        ("t=no-such".to_owned(), 404, "there is no target no-such"),
        (format!("d={name}.rrd"), 404, "there is no database"),
    ] {
        for end in ["", ".csv"] {
            let answer = client.get(&format!("/api/charts{end}?{query}"));
            assert_eq!(answer.status, status, "{query}");
            let error = answer.json()["error"].to_string();
            assert!(error.contains(words), "{query}: {error}");
        }
    }
    let far = client.get(&format!("/api/charts?t={name}&start=0&end=253402300799"));
    assert_eq!(far.status, 200, "rows that no archive holds take no memory: {}", far.text());
}

/// Pages over the databases of a site, without its configuration.
fn databases(site: fixture::Fixture) -> Client {
    let context = fixture::smoke::tree(&site);
    Client::of(server::tree_router(context, server::Hosts::of_this_machine()), site)
}

#[test]
fn of_a_database_too_only_what_an_archive_holds_is_read() {
    let client = databases(fixture(1, 1, 1));
    let chart = chart(&client, &format!("{}start=1&end=now", "d=ping.rrd&".repeat(100)));
    assert_eq!(chart["problem"], Value::Null);
    let step = chart["step_seconds"].as_i64().expect("a step");
    let first = chart["first"].as_i64().expect("a time");
    // The longer archive has 4320 rows of an hour; the whole time since 1970 has 5 million.
    assert!(first > NOW_SECONDS - 4320 * 3600 - step, "{first}");
    let rows = column(&chart["lines"][0], "average").len();
    assert!((1..=4321).contains(&rows), "{rows} rows");
}

#[test]
fn a_table_has_a_column_for_each_line() {
    let client = Client::new(fixture(2, 2, 1));
    let names = [name(0), name(1)];
    let table = client.get(&format!("/api/charts.csv?t={}&t={}", names[0], names[1]));
    assert_eq!(table.headers["content-type"], "text/csv; charset=utf-8");
    let lines: Vec<&str> = table.text().lines().collect();
    let heading =
        format!("seconds,time,\"{} In (b/s) average\",\"{0} Out (b/s) average\",", names[0]);
    assert!(lines[0].starts_with(&heading), "{}", lines[0]);
    let rows = chart(&client, &format!("t={}", names[0]));
    let average = column(&rows["lines"][0], "average");
    assert_eq!(lines.len(), 1 + average.len());
    let fields: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(fields.len(), 6);
    assert_eq!(fields[0].parse::<i64>().ok(), rows["first"].as_i64());
    assert_eq!(fields[2].parse::<f64>().ok(), average[0]);
}
