//! The first load of the index: bytes of everything but pictures.

use serde_json::json;

use super::Bench;
use super::browser::Browser;
use crate::report::{Report, Row};

/// The most bytes of HTML, style and scripts.
const BYTES_MAX: f64 = 200_000.0;

pub(super) fn measure(
    _: &Bench<'_>,
    browser: Option<&mut Browser>,
    report: &mut Report,
) -> Result<(), String> {
    let Some(browser) = browser else { return Ok(()) };
    let answer = browser.ask(&json!({ "do": "load", "path": "/" }))?;
    let kinds = answer["bytes"].as_object().ok_or("the browser tells no bytes")?;
    let bytes = |(kind, bytes): (&String, &serde_json::Value)| (kind.clone(), bytes.as_f64());
    let kinds: Vec<(String, f64)> =
        kinds.iter().map(bytes).filter_map(|(kind, it)| Some((kind, it?))).collect();
    let counted = kinds.iter().filter(|(kind, _)| kind != "Image" && kind != "Other");
    let sum: f64 = counted.map(|(_, bytes)| bytes).sum();
    let told: Vec<String> =
        kinds.iter().map(|(kind, bytes)| format!("{kind} {:.1} KB", bytes / 1e3)).collect();
    let row = Row::new("first load of the index, without pictures", "KB", sum / 1e3);
    report.row(row.exact().at_most(BYTES_MAX / 1e3).note(format!("as sent: {}", told.join(", "))));
    Ok(())
}
