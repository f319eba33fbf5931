//! Targets found among all names: by the server alone, and from a letter to the screen.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Bench;
use super::browser::{Browser, times};
use crate::figures::percentile;
use crate::http::{Connection, encoded};
use crate::report::{Report, Row};

const SERVER_MS: f64 = 20.0;
const SCREEN_MS: f64 = 60.0;
/// The longest wait for the index.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn measure(
    bench: &Bench<'_>,
    browser: Option<&mut Browser>,
    report: &mut Report,
) -> Result<(), String> {
    let what = format!("search among {} names", ::figures::count(bench.options.names));
    let made_seconds = wait_for_index(bench)?;
    by_the_server(bench, &what, made_seconds, report)?;
    let Some(browser) = browser else { return Ok(()) };
    let questions: Vec<Value> = some(bench)
        .map(|name| json!({ "words": name, "href": format!("/t/{}", encoded_path(name)) }))
        .collect();
    let answer =
        browser.ask(&json!({ "do": "search", "path": "/status", "questions": questions }))?;
    let all = times(&answer)?;
    let row = Row::new(format!("{what}: letter to screen"), "ms", percentile(&all, 50));
    report.row(row.at_most(SCREEN_MS).note(format!(
        "{} whole names; {:.1} ms at 99%",
        all.len(),
        percentile(&all, 99)
    )));
    Ok(())
}

/// The first question has the index made. The seconds until questions are answered by it.
fn wait_for_index(bench: &Bench<'_>) -> Result<f64, String> {
    let mut connection = Connection::to(bench.demo.address)?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let asked = Instant::now();
        connection.get("/api/search?q=egde07%20desk")?;
        if asked.elapsed().as_secs_f64() * 1e3 < 5.0 * SERVER_MS {
            return Ok(begun.elapsed().as_secs_f64());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(begun.elapsed().as_secs_f64())
}

/// Several kinds of words, each other ones every time.
fn by_the_server(
    bench: &Bench<'_>,
    what: &str,
    made_seconds: f64,
    report: &mut Report,
) -> Result<(), String> {
    let mut connection = Connection::to(bench.demo.address)?;
    let mut all = Vec::new();
    let mut notes = Vec::new();
    for (kind, words) in KINDS {
        let mut times = Vec::new();
        for name in some(bench) {
            let path = format!("/api/search?q={}", encoded(&words(name)));
            let begun = Instant::now();
            let body = connection.get(&path)?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            check(kind, name, &body)?;
        }
        notes.push(format!("{kind} {:.1} ms", percentile(&times, 50)));
        all.extend(times);
    }
    let row = Row::new(format!("{what}: server"), "ms", percentile(&all, 99));
    report.row(row.at_most(SERVER_MS).note(format!(
        "at 99% of {} questions; medians: {}; the first question had its index after \
         {made_seconds:.1} s",
        all.len(),
        notes.join(", ")
    )));
    Ok(())
}

type Words = fn(&str) -> String;

/// What visitors write of a target's name.
const KINDS: [(&str, Words); 4] = [
    ("a whole name", str::to_owned),
    ("the first letters", |name| name.chars().take(3).collect()),
    ("words in any order", |name| {
        let (device, port) = name.split_once('_').unwrap_or((name, ""));
        let mut words: Vec<&str> = device.split('-').collect();
        words.reverse();
        format!("{port} {}", words.join(" "))
    }),
    ("a letter mistyped", |name| {
        // Two letters of `edge` or `core` have changed their places.
        name.replace("edge", "egde").replace("core", "croe")
    }),
];

/// A whole name must be among what is found.
fn check(kind: &str, name: &str, body: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(body);
    match kind != KINDS[0].0 || text.contains(&format!("\"{name}\"")) {
        true => Ok(()),
        false => Err(format!("search does not find {name}: {text:.300}")),
    }
}

fn some<'a>(bench: &'a Bench<'_>) -> impl Iterator<Item = &'a String> {
    let every = (bench.names.len() / bench.options.rounds.max(1)).max(1);
    bench.names.iter().step_by(every)
}

/// A name in a path: what the pages write. Names of the demo have no other signs.
fn encoded_path(name: &str) -> &str {
    name
}
