//! The page of a device that nobody has looked at before, with a chart for each port.

use std::time::Instant;

use serde_json::{Value, json};

use super::Bench;
use super::browser::Browser;
use crate::figures::percentile;
use crate::http::{Connection, encoded};
use crate::report::{Report, Row};

const SCREEN_MS: f64 = 300.0;
const SERVER_MS: f64 = 100.0;

pub(super) fn measure(
    bench: &Bench<'_>,
    browser: Option<&mut Browser>,
    report: &mut Report,
) -> Result<(), String> {
    let devices = devices(bench)?;
    let what = format!("device page, {} ports, a day, cold", bench.options.ports);
    let half = devices.len() / 2;
    let mut times = Vec::new();
    for device in &devices[..half] {
        times.push(from_the_server(bench, device)?);
    }
    let row = Row::new(format!("{what}: server"), "ms", percentile(&times, 50));
    report.row(
        row.at_most(SERVER_MS)
            .note(format!("{half} devices; {:.1} ms at most", percentile(&times, 100))),
    );
    let Some(browser) = browser else { return Ok(()) };
    let (mut times, mut last) = (Vec::new(), Value::Null);
    for device in &devices[half..] {
        let path = format!("/device/{}", encoded(device));
        last = browser.ask(&json!({ "do": "cold", "path": path }))?;
        times.push(last["milliseconds"].as_f64().ok_or("the browser tells no time")?);
    }
    let row = Row::new(format!("{what}: to the screen"), "ms", percentile(&times, 50));
    report.row(row.at_most(SCREEN_MS).note(format!(
        "{} devices, a new visitor each; {:.0} ms at most; the last page has {} pictures, {} \
         canvases, {} drawings, {} answers, its document after {:.0} ms",
        times.len(),
        percentile(&times, 100),
        last["pictures"],
        last["canvases"],
        last["drawings"],
        last["answers"],
        last["server"].as_f64().unwrap_or(f64::NAN)
    )));
    Ok(())
}

/// Twice as many devices as rounds, from all of the network.
fn devices(bench: &Bench<'_>) -> Result<Vec<String>, String> {
    let every = (bench.names.len() / (2 * bench.options.rounds)).max(1);
    let mut found: Vec<String> = Vec::new();
    let mut connection = Connection::to(bench.demo.address)?;
    for name in bench.names.iter().step_by(every) {
        let device = device_of(&mut connection, name)?;
        if !found.contains(&device) {
            found.push(device);
        }
    }
    match found.len() {
        0 | 1 => Err("there are too few devices".into()),
        _ => Ok(found),
    }
}

/// The device that a target is measured from.
pub(super) fn device_of(connection: &mut Connection, target: &str) -> Result<String, String> {
    let body = connection.get(&format!("/api/charts?t={}&points=1", encoded(target)))?;
    let told: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    let device = told["charts"][0]["device"].as_str().map(str::to_owned);
    device.ok_or_else(|| format!("{target} has no device: {told}"))
}

/// The milliseconds of a page, which has the rows of all of its charts.
fn from_the_server(bench: &Bench<'_>, device: &str) -> Result<f64, String> {
    let mut connection = Connection::to(bench.demo.address)?;
    let begun = Instant::now();
    connection.get(&format!("/device/{}", encoded(device)))?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
