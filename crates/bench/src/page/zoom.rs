//! A target's chart that is zoomed and moved: new rows on the screen.

use serde_json::json;

use super::Bench;
use super::browser::{Browser, times};
use crate::figures::percentile;
use crate::report::{Report, Row};

const SCREEN_MS: f64 = 50.0;
/// A visitor zooms in, moves about, and zooms out again.
const PRESSES: [&str; 8] =
    ["Zoom in", "Earlier", "Earlier", "Earlier", "Zoom in", "Later", "Zoom out", "Zoom out"];

pub(super) fn measure(
    bench: &Bench<'_>,
    browser: Option<&mut Browser>,
    report: &mut Report,
) -> Result<(), String> {
    let Some(browser) = browser else { return Ok(()) };
    let every = (bench.names.len() / bench.options.rounds).max(1);
    let (mut asked, mut known) = (Vec::new(), Vec::new());
    for name in bench.names.iter().step_by(every) {
        let command = json!({ "do": "press", "path": format!("/t/{name}"), "labels": PRESSES });
        let answer = browser.ask(&command)?;
        let all = answer["all"].as_array().cloned().unwrap_or_default();
        for (press, milliseconds) in all.iter().zip(times(&answer)?) {
            match press["isAsked"].as_bool() {
                Some(true) => asked.push(milliseconds),
                _ => known.push(milliseconds),
            }
        }
    }
    let row =
        Row::new("zoom and pan of a target: new rows on the screen", "ms", percentile(&asked, 50));
    report.row(row.at_most(SCREEN_MS).note(format!(
        "{} presses that the server answers, {:.1} ms at 99%; {} that need no new rows, {:.1} ms",
        asked.len(),
        percentile(&asked, 99),
        known.len(),
        percentile(&known, 50)
    )));
    Ok(())
}
