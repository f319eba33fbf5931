//! The page of the collector's status.

use maud::{Markup, PreEscaped, Render, html};

use super::frame::{Place, page};
use super::{path, times};
use figures::{ago, duration};

use crate::numbers::count;
use crate::view::View;
use crate::{Cycle, Device, Round, Status};

/// The most devices in each list; the number of the others is shown.
const LIST_DEVICES_MAX: usize = 50;
/// The number of devices in the lists of the slowest, of those that lose most, and of past errors.
const RANKED_DEVICES: usize = 10;

/// The page.
pub(crate) fn status(view: &View) -> Markup {
    let status = view.status();
    let main = html! {
        div.heading { h1 { "Status" } }
        section #status data-live-section {
            @for remark in &status.remarks { p.trouble { (remark) } }
            (tiles(view))
            div.columns {
                div.stack { (silent_devices(view)) (incomplete_devices(view)) (recovered(view)) }
                div.stack { (slowest(status)) (lossy(status)) }
            }
        }
        p.quiet {
            "The same as JSON: " a href="/api/status.json" { "/api/status.json" }
            ", for Prometheus: " a href="/metrics" { "/metrics" }
        }
    };
    page(view, Place::Status, "Status", main)
}

fn tiles(view: &View) -> Markup {
    let status = view.status();
    let answering = status.devices.len() - status.silent().count();
    html! {
        dl.tiles {
            (tile("Devices answering", &of(answering, status.devices.len()), ""))
            @if status.rounds.len() > 1 {
                @for round in &status.rounds { (round_tile(view, round)) }
            } @else {
                @if let Some(cycle) = &status.cycle { (cycle_tiles(view, cycle)) }
                @else { (tile("Cycle", "–", "the first one is under way")) }
                (tile("Interval", &duration(status.interval_seconds as f64), ""))
            }
            (tile(
                "Running for",
                &duration((view.now_seconds - status.started_seconds).max(0) as f64),
                html! { "since " (times::minute(status.started_seconds, &view.zone)) },
            ))
        }
    }
}

fn cycle_tiles(view: &View, cycle: &Cycle) -> Markup {
    let targets = cycle.targets_polled + cycle.targets_missed;
    let missed = format!("{} missed", count(cycle.targets_missed));
    let ended = ago(cycle.ended_seconds, view.now_seconds);
    html! {
        (tile("Targets polled", &of(cycle.targets_polled, targets), &missed))
        (tile("Poll time", &duration(cycle.poll_seconds), "starts are spread over the interval"))
        (tile("Write time", &duration(cycle.write_seconds), ""))
        (tile("Cycle", &count(cycle.number as usize), format!("ended {ended}")))
    }
}

/// One of several intervals.
fn round_tile(view: &View, round: &Round) -> Markup {
    let name = format!("Every {}", duration(round.interval_seconds as f64));
    let Some(cycle) = &round.cycle else {
        return tile(&name, "–", "the first cycle is under way");
    };
    let polled = of(cycle.targets_polled, cycle.targets_polled + cycle.targets_missed);
    let (number, ended) =
        (count(cycle.number as usize), ago(cycle.ended_seconds, view.now_seconds));
    let (poll, missed) = (duration(cycle.poll_seconds), count(cycle.targets_missed));
    let remark =
        format!("targets polled, {missed} missed; cycle {number}, in {poll}, ended {ended}");
    tile(&name, &polled, &remark)
}

fn of(part: usize, whole: usize) -> String {
    format!("{} / {}", count(part), count(whole))
}

fn tile(name: &str, value: &str, remark: impl Render) -> Markup {
    let remark = remark.render().into_string();
    html! {
        div {
            dt { (name) }
            dd { (value) @if !remark.is_empty() { small { (PreEscaped(remark)) } } }
        }
    }
}

fn silent_devices(view: &View) -> Markup {
    let devices: Vec<_> = view.status().silent().collect();
    html! {
        section.panel {
            h2 { "Not answering" }
            @if devices.is_empty() { p.quiet { "Every device answers." } }
            (troubles(view, &devices))
        }
    }
}

/// Devices that answer only some requests.
fn incomplete_devices(view: &View) -> Markup {
    let incomplete = |device: &&Device| !device.health.is_silent() && device.problem.is_some();
    let devices: Vec<_> = view.status().devices.iter().filter(incomplete).collect();
    html! {
        @if !devices.is_empty() {
            section.panel {
                h2 { "Not answering everything" }
                (troubles(view, &devices))
            }
        }
    }
}

fn troubles(view: &View, devices: &[&Device]) -> Markup {
    html! {
        table {
            @for device in devices.iter().take(LIST_DEVICES_MAX) {
                tr {
                    td { (device_link(device)) }
                    td { (device.problem.as_deref().unwrap_or_default()) }
                    td.number { (last_heard(view, device)) }
                }
            }
        }
        @if devices.len() > LIST_DEVICES_MAX {
            p.quiet { "and " (count(devices.len() - LIST_DEVICES_MAX)) " more" }
        }
    }
}

fn last_heard(view: &View, device: &Device) -> String {
    device
        .answered_seconds
        .map_or_else(|| "never heard of".to_owned(), |then| ago(then, view.now_seconds))
}

fn slowest(status: &Status) -> Markup {
    let mut devices: Vec<_> = status
        .devices
        .iter()
        .filter(|device| !device.health.is_silent())
        .filter_map(|device| Some((device.took_seconds?, device)))
        .collect();
    devices.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    devices.truncate(RANKED_DEVICES);
    let longest = devices.first().map_or(1.0, |(took, _)| *took);
    html! {
        section.panel {
            h2 { "Slowest devices of the last cycle" }
            @if devices.is_empty() { p.quiet { "None has answered yet." } }
            table {
                @for (took, device) in devices {
                    tr {
                        td { (device_link(device)) }
                        td.bar { meter min="0" max=(longest) value=(took) {} }
                        td.number { (duration(took)) }
                        td.number.quiet {
                            @if let Some(smoothed) = device.took_smoothed_seconds {
                                "usually " (duration(smoothed))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Devices to which most datagrams had to be sent again.
fn lossy(status: &Status) -> Markup {
    let mut devices: Vec<_> =
        status.devices.iter().filter(|device| device.counts.retried > 0).collect();
    devices.sort_by_key(|device| std::cmp::Reverse(device.counts.retried));
    devices.truncate(RANKED_DEVICES);
    html! {
        @if !devices.is_empty() {
            section.panel {
                h2 { "Datagrams sent again" }
                table {
                    @for device in devices {
                        tr {
                            td { (device_link(device)) }
                            td.number { (of(device.counts.retried as usize, device.counts.sent as usize)) }
                            td.number.quiet { (count(device.counts.given_up as usize)) " given up" }
                        }
                    }
                }
            }
        }
    }
}

/// Devices that are well again, with their last error.
fn recovered(view: &View) -> Markup {
    let devices = view.status().devices.iter().filter(|device| device.problem.is_none());
    let mut errors: Vec<_> =
        devices.filter_map(|device| Some((device.last_error.as_ref()?, device))).collect();
    errors.sort_by_key(|(error, _)| std::cmp::Reverse(error.at_seconds));
    errors.truncate(RANKED_DEVICES);
    html! {
        @if !errors.is_empty() {
            section.panel {
                h2 { "Well again" }
                table {
                    @for (error, device) in errors {
                        tr {
                            td { (device_link(device)) }
                            td { (error.words) }
                            td.number { (ago(error.at_seconds, view.now_seconds)) }
                        }
                    }
                }
            }
        }
    }
}

fn device_link(device: &Device) -> Markup {
    html! { a href=(path::device(&device.name)) { (device.name) } }
}
