//! The devices that are slow, and those that fail.

use maud::{Markup, html};

use super::path;
use crate::numbers::count;
use crate::ranks::Asked;
use crate::view::View;
use crate::{Device, Health};

/// The devices that take longest to answer.
pub(super) fn slow(view: &View, asked: &Asked) -> Markup {
    let took = |device: &Device| match device.health.is_silent() {
        true => None,
        false => device.took_smoothed_seconds.or(device.took_seconds),
    };
    let ranked = first(view, asked, took);
    let words = |device: &Device, took: f64| {
        html! {
            td.number { (figures::duration(took)) }
            td.number.quiet {
                @if let Some(last) = device.took_seconds { "last " (figures::duration(last)) }
            }
        }
    };
    table(&ranked, "Usually", "No device has answered yet.", words)
}

/// The devices of whose polls the greatest part failed.
pub(super) fn failing(view: &View, asked: &Asked) -> Markup {
    let failed = |device: &Device| {
        let counts = &device.counts;
        let share = counts.polls_failed as f64 / counts.polls.max(1) as f64;
        (counts.polls_failed > 0 || device.health.is_silent()).then_some(share)
    };
    let ranked = first(view, asked, failed);
    let words = |device: &Device, share: f64| {
        let problem = device.problem.as_ref().or(device.last_error.as_ref().map(|it| &it.words));
        html! {
            td.number {
                (format!("{:.1} %", 100.0 * share)) " of " (count(device.counts.polls as usize))
            }
            td.quiet { (health(device)) @if let Some(problem) = problem { ": " (problem) } }
        }
    };
    table(&ranked, "Failed", "Every poll of every device was answered.", words)
}

fn health(device: &Device) -> &'static str {
    match device.health {
        Health::Silent => "silent",
        Health::Denied => "refuses its user",
        Health::NoAddress => "has no address",
        Health::Unknown => "not asked yet",
        Health::Answering | Health::Restarted => "answers now",
    }
}

/// The devices with the greatest scores.
fn first<'v>(
    view: &'v View,
    asked: &Asked,
    score: impl Fn(&Device) -> Option<f64>,
) -> Vec<(&'v Device, f64)> {
    let words = asked.query.to_lowercase();
    let mut best = ranks::Best::new(asked.most);
    let mut scores = Vec::new();
    for (nth, device) in view.status().devices.iter().enumerate() {
        let has_words = || {
            let name = device.name.to_lowercase();
            words.split_whitespace().all(|word| name.contains(word))
        };
        if let Some(score) = score(device).filter(|score| best.may_take(*score) && has_words()) {
            best.put(score, nth);
            scores.push((nth, score));
        }
    }
    let devices = best.into_things().filter_map(|nth| {
        let found = scores.binary_search_by_key(&nth, |(nth, _)| *nth).ok()?;
        Some((view.status().devices.get(nth)?, scores[found].1))
    });
    devices.collect()
}

fn table(
    ranked: &[(&Device, f64)],
    head: &str,
    none: &str,
    words: impl Fn(&Device, f64) -> Markup,
) -> Markup {
    let greatest = ranked.first().map_or(0.0, |(_, score)| *score);
    html! {
        @if ranked.is_empty() {
            div.empty { h2 { "None" } p { (none) } }
        } @else {
            section.panel {
                table.devices {
                    thead { tr {
                        th scope="col" { "Device" }
                        th.bar scope="col" { "Compared" }
                        th.number scope="col" { (head) }
                        th scope="col" { "Now" }
                    } }
                    tbody { @for (device, score) in ranked {
                        tr {
                            td { a href=(path::device(&device.name)) { (device.name) } }
                            td.bar { meter min="0" max=(greatest) value=(score) aria-label="Compared" {} }
                            (words(device, *score))
                        }
                    } }
                }
            }
        }
    }
}
