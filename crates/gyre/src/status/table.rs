//! The status of a run as text.

use std::fmt::Write as _;

use figures::{ago, count, duration};

use super::report::{Cycle, Device, Report};

/// The most devices listed without `--all`.
const DEVICES_MAX: usize = 40;

/// The whole text.
pub(super) fn text(report: &Report, all: bool) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = put_head(&mut out, report);
    let mut devices: Vec<&Device> = report.devices.iter().collect();
    if !all {
        devices.retain(|device| device.is_of_note());
        devices.sort_by_key(|device| device.answers());
    }
    let more = if all { 0 } else { devices.len().saturating_sub(DEVICES_MAX) };
    devices.truncate(devices.len() - more);
    if !devices.is_empty() {
        out.push('\n');
        put_rows(&mut out, &rows(report, &devices));
    }
    if more > 0 {
        let _ = writeln!(out, "and {} more devices; --all lists them", count(more as u64));
    }
    out
}

fn put_head(out: &mut String, report: &Report) -> std::fmt::Result {
    let running = (report.now_seconds - report.started_seconds).max(0) as f64;
    let answering = report.devices.iter().filter(|device| device.answers()).count() as u64;
    writeln!(out, "{}, running for {}", report.program, duration(running))?;
    writeln!(
        out,
        "devices       {} of {} answer",
        count(answering),
        count(report.devices.len() as u64)
    )?;
    put_intervals(out, report)?;
    let totals = &report.totals;
    writeln!(
        out,
        "since start   {} cycles; {} samples stored, {} refused, {} lost",
        count(totals.cycles),
        count(totals.samples_stored),
        count(totals.samples_refused),
        count(totals.samples_lost)
    )?;
    writeln!(
        out,
        "datagrams     {} sent, {} of them again; {} received, {} foreign",
        count(totals.datagrams_sent),
        count(totals.datagrams_retried),
        count(totals.datagrams_received),
        count(totals.datagrams_foreign)
    )?;
    writeln!(
        out,
        "queue         {} of {} messages",
        count(report.queue.messages),
        count(report.queue.messages_max)
    )?;
    let (reloads, refused) = (totals.reloads, totals.reloads_refused);
    writeln!(out, "reloads       {}, {} refused", count(reloads), count(refused))?;
    report.remarks.iter().try_for_each(|remark| writeln!(out, "remark        {remark}"))
}

/// How often targets are polled, and the last cycles.
fn put_intervals(out: &mut String, report: &Report) -> std::fmt::Result {
    let every = |seconds: u64| duration(seconds as f64);
    let all = report.intervals.iter().map(|round| every(round.interval_seconds));
    let all: Vec<_> = all.collect();
    let intervals = match all.is_empty() {
        true => every(report.interval_seconds),
        false => all.join(" or "),
    };
    writeln!(out, "targets       {}, every {intervals}", count(report.targets))?;
    match (&report.cycle, &report.intervals[..]) {
        (None, _) => writeln!(out, "last cycle    none is over yet"),
        (Some(cycle), [] | [_]) => put_cycle(out, report, "last cycle", cycle),
        (Some(_), several) => several.iter().try_for_each(|round| match &round.cycle {
            None => Ok(()),
            Some(cycle) => {
                put_cycle(out, report, &format!("every {}", every(round.interval_seconds)), cycle)
            }
        }),
    }
}

fn put_cycle(out: &mut String, report: &Report, name: &str, cycle: &Cycle) -> std::fmt::Result {
    writeln!(
        out,
        "{name:<13} {}, ended {}: {} targets polled, {} missed; poll {}, write {}",
        cycle.number,
        ago(cycle.ended_seconds, report.now_seconds),
        count(cycle.targets_polled),
        count(cycle.targets_missed),
        duration(cycle.poll_seconds),
        duration(cycle.write_seconds)
    )
}

const HEADINGS: [&str; 7] =
    ["device", "state", "latency", "usual", "sent again", "limit", "last error"];

fn rows(report: &Report, devices: &[&Device]) -> Vec<[String; 7]> {
    let seconds = |seconds: Option<f64>| seconds.map_or_else(|| "-".to_owned(), duration);
    let row = |device: &&Device| {
        let error = device
            .last_error
            .as_ref()
            .map(|error| format!("{}: {}", ago(error.at_seconds, report.now_seconds), error.words));
        [
            device.name.clone(),
            device.health.replace('_', " "),
            seconds(device.took_seconds),
            seconds(device.took_smoothed_seconds),
            format!("{} of {}", count(device.datagrams_retried), count(device.datagrams_sent)),
            device.bindings_max.map_or_else(|| "-".to_owned(), |most| most.to_string()),
            error.unwrap_or_else(|| "-".to_owned()),
        ]
    };
    std::iter::once(HEADINGS.map(str::to_owned)).chain(devices.iter().map(row)).collect()
}

fn put_rows(out: &mut String, rows: &[[String; 7]]) {
    let widths: [usize; 7] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
