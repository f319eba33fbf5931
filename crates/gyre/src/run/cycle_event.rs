//! The event of a cycle that is polled and written.

use std::sync::Arc;

use serde_json::{Value, json};

use super::event::Event;
use super::status_line::{Paint, status_line, troubles};
use super::writer::Written;

/// The most devices named in a field of an event; their number is told whatever it is.
const NAMES_MAX: usize = 100;

/// The event: its words are the status line.
pub(super) fn cycle_event(written: &Written, paint: Paint) -> Event {
    let report = &written.cycle.report;
    let words = status_line(written, paint);
    let troubles = troubles(written);
    let is_well = written.cycle.targets.missed == 0 && troubles.is_empty();
    let event = match is_well {
        true => Event::info("cycle", words),
        false => Event::warning("cycle", words),
    };
    let slowest = report.slowest.iter();
    let slowest =
        slowest.map(|(name, took)| json!({"device": **name, "seconds": took.as_secs_f64()}));
    event
        .with("cycle", report.cycle.number)
        .with("interval_seconds", report.cycle.interval.as_secs())
        .with("targets_polled", written.cycle.targets.polled)
        .with("targets_missed", written.cycle.targets.missed)
        .with("devices", report.devices)
        .with("devices_answered", report.answered)
        .with("devices_missed", report.missed.len())
        .with("missed", names(&report.missed))
        .with("without_address", names(&report.without_address))
        .with("denied", names(&report.denied))
        .with("restarted", names(&report.restarted))
        .with("slowest", slowest.collect::<Vec<_>>())
        .with("poll_seconds", report.took.as_secs_f64())
        .with("write_seconds", written.took.as_secs_f64())
        .with("datagrams_sent", report.traffic.sent)
        .with("datagrams_retried", report.traffic.retried)
        .with("datagrams_received", report.traffic.received)
        .with("datagrams_foreign", report.traffic.foreign)
        .with("connections_broken", report.traffic.broken_connections)
        .with("samples_stored", written.samples_stored)
        .with("samples_refused", written.refused.count)
        .with("samples_lost", written.cycle.samples_lost)
        .with("troubles", troubles)
}

fn names(all: &[Arc<str>]) -> Value {
    all.iter().take(NAMES_MAX).map(|name| Value::from(&**name)).collect()
}
