//! The first twenty of all targets: by the last cycle, and by the 95th percentile of a day.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::Bench;
use super::browser::Browser;
use crate::figures::percentile;
use crate::http::Connection;
use crate::report::{Report, Row};

const LAST_MS: f64 = 50.0;
const DAY_SECONDS: f64 = 10.0;
const PATIENCE: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn measure(
    bench: &Bench<'_>,
    _: Option<&mut Browser>,
    report: &mut Report,
) -> Result<(), String> {
    let what = format!("top 20 of {} targets", ::figures::count(bench.options.names));
    let mut connection = Connection::to(bench.demo.address)?;
    let (mut times, mut waited) = (Vec::new(), Vec::new());
    for turn in 0..bench.options.rounds {
        // A word that was not asked before: answers may be kept.
        let by = ["traffic", "utilisation", "value"][turn % 3];
        let path = format!("/api/ranks?by={by}&span=last&n=20");
        let begun = Instant::now();
        let first = asked(&mut connection, &path)?;
        if first["state"] == "known" {
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        } else {
            known(&mut connection, &path, begun)?;
            waited.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    let row = Row::new(format!("{what} by the last cycle"), "ms", percentile(&times, 50));
    report.row(row.at_most(LAST_MS).note(format!(
        "{} answers, {:.1} ms at most; {} came while the table was made, the slowest after {:.0} ms",
        times.len(),
        percentile(&times, 100),
        waited.len(),
        waited.iter().copied().fold(0.0, f64::max)
    )));
    let begun = Instant::now();
    let before = bench.demo.counters()?;
    let path = "/api/ranks?by=traffic&span=day&measure=p95&n=20";
    let (steps, seconds) = known(&mut connection, path, begun)?;
    let used = bench.demo.counters()? - before;
    let row = Row::new(format!("{what} by the 95th percentile of a day"), "s", seconds);
    report.row(row.at_most(DAY_SECONDS).note(format!(
        "progress told {steps} times; caches as the start left them; a day has the rows that the \
         demo fills in, {} processor seconds, {} read from disk",
        (used.user_seconds + used.system_seconds).round(),
        ::figures::size(used.read_bytes)
    )));
    Ok(())
}

/// Asks until the answer is known. Tells how often progress was told, and the seconds since `begun`.
fn known(connection: &mut Connection, path: &str, begun: Instant) -> Result<(usize, f64), String> {
    let mut steps = 0;
    loop {
        let answer = asked(connection, path)?;
        match answer["state"].as_str() {
            Some("known") => return Ok((steps, begun.elapsed().as_secs_f64())),
            Some("reading" | "waiting") if begun.elapsed() < PATIENCE => steps += 1,
            _ => return Err(format!("{path}: {answer:.300}")),
        }
        std::thread::sleep(PAUSE);
    }
}

fn asked(connection: &mut Connection, path: &str) -> Result<Value, String> {
    let body = connection.get(path)?;
    serde_json::from_slice(&body).map_err(|error| format!("{path}: {error}"))
}
