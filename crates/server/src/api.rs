//! The content of the pages as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use crate::latest::latest;
use crate::period::Period;
use crate::site::Stretch;
use crate::view::View;
use crate::{AlertReceiver, Alerting, Cycle, Device, Health, Target, Totals};

/// The number of targets in an answer unless the request gives one.
pub(crate) const TARGETS_DEFAULT: usize = 1000;
/// The most targets in an answer.
pub(crate) const TARGETS_MAX: usize = 100_000;

#[derive(Serialize)]
struct TargetFacts<'a> {
    name: &'a str,
    title: String,
    device: &'a str,
    remark: String,
    database: &'a str,
    step_seconds: u64,
    graphs: Vec<&'static str>,
    health: &'static str,
    problem: Option<&'a str>,
}

/// The targets that match a query, from `first` on.
pub(crate) fn targets(view: &View, query: &str, first: usize, limit: usize) -> Value {
    let Stretch { count, shown } = view.listed(query, first, limit.min(TARGETS_MAX));
    let facts: Vec<_> = shown.iter().map(|target| facts(view, target)).collect();
    json!({ "found": count, "first": first, "targets": facts })
}

/// One target with its newest values, in the units of its database.
pub(crate) fn target(view: &View, target: &Target) -> Value {
    let [input, output] = latest(view, target).values;
    json!({ "target": facts(view, target), "latest": { "ds0": input, "ds1": output } })
}

fn facts<'a>(view: &View, target: &'a Target) -> TargetFacts<'a> {
    let health = view.device(target).map(|device| device.health);
    TargetFacts {
        name: &target.name,
        title: target.title(),
        device: &target.device,
        remark: target.remark(),
        database: &target.database,
        step_seconds: target.look.step_seconds,
        graphs: Period::of(&target.look).map(Period::name).collect(),
        health: health.unwrap_or(Health::Unknown).name(),
        problem: target.problem.as_deref(),
    }
}

/// The collector's status.
pub(crate) fn status(view: &View) -> Value {
    let status = view.status();
    let rounds = status.rounds.iter().map(|round| {
        let last = round.cycle.as_ref().map(cycle);
        json!({ "interval_seconds": round.interval_seconds, "cycle": last })
    });
    let rounds: Vec<_> = rounds.collect();
    let devices: Vec<_> = status.devices.iter().map(device).collect();
    json!({
        "program": status.program,
        "now_seconds": view.now_seconds,
        "started_seconds": status.started_seconds,
        "interval_seconds": status.interval_seconds,
        "targets": view.count(),
        "cycle": status.cycle.as_ref().map(cycle),
        "intervals": rounds,
        "totals": totals(&status.totals),
        "queue": { "messages": status.writing.queued, "messages_max": status.writing.queued_max },
        "store": {
            "databases": status.writing.databases,
            "in_trouble": status.writing.is_troubled,
        },
        "sql": status.writing.sql.as_ref().map(|sql| json!({
            "connected": sql.is_connected,
            "databases": sql.databases,
            "failures": sql.failures,
            "rows": sql.rows,
            "rows_lost": sql.rows_lost,
        })),
        "alerts": status.alerts.as_ref().map(alerting),
        "remarks": status.remarks,
        "devices": devices,
    })
}

/// The limits that are broken now, of targets that the visitor may see.
pub(crate) fn broken_limits(view: &View) -> Value {
    let all = view.broken_limits();
    let seen = all.iter().filter(|limit| view.find(&limit.target).is_some());
    let limits = seen.map(|limit| {
        json!({
            "target": limit.target,
            "limit": limit.key,
            "words": limit.words,
            "since_seconds": limit.since_seconds,
        })
    });
    json!({ "now_seconds": view.now_seconds, "broken": limits.collect::<Vec<_>>() })
}

fn alerting(alerts: &Alerting) -> Value {
    let receiver = |receiver: &AlertReceiver| {
        json!({
            "kind": receiver.kind,
            "address": receiver.address,
            "up": receiver.is_up,
            "sent": receiver.sent,
            "posts_failed": receiver.posts_failed,
            "refused": receiver.refused,
            "ends_untold": receiver.ends_untold,
        })
    };
    json!({
        "standing": alerts.standing,
        "without_room": alerts.without_room,
        "receivers": alerts.receivers.iter().map(receiver).collect::<Vec<_>>(),
    })
}

fn cycle(cycle: &Cycle) -> Value {
    json!({
        "number": cycle.number,
        "ended_seconds": cycle.ended_seconds,
        "targets_polled": cycle.targets_polled,
        "targets_missed": cycle.targets_missed,
        "poll_seconds": cycle.poll_seconds,
        "write_seconds": cycle.write_seconds,
    })
}

fn totals(totals: &Totals) -> Value {
    json!({
        "cycles": totals.cycles,
        "polls": {
            "answered": totals.polls_answered,
            "silent": totals.polls_silent,
            "denied": totals.polls_denied,
            "no_address": totals.polls_without_address,
        },
        "readings": totals.readings,
        "readings_missing": totals.readings_missing,
        "targets_polled": totals.targets_polled,
        "targets_missed": totals.targets_missed,
        "samples_stored": totals.samples_stored,
        "samples_refused": totals.samples_refused,
        "samples_lost": totals.samples_lost,
        "datagrams_sent": totals.datagrams_sent,
        "datagrams_retried": totals.datagrams_retried,
        "datagrams_received": totals.datagrams_received,
        "datagrams_foreign": totals.datagrams_foreign,
        "connections_broken": totals.connections_broken,
        "bytes_sent": totals.bytes_sent,
        "bytes_received": totals.bytes_received,
        "reloads": totals.reloads,
        "reloads_refused": totals.reloads_refused,
    })
}

fn device(device: &Device) -> Value {
    let last_error = device.last_error.as_ref();
    let last_error =
        last_error.map(|error| json!({ "at_seconds": error.at_seconds, "words": error.words }));
    let counts = &device.counts;
    json!({
        "name": device.name,
        "health": device.health.name(),
        "took_seconds": device.took_seconds,
        "took_smoothed_seconds": device.took_smoothed_seconds,
        "answered_seconds": device.answered_seconds,
        "problem": device.problem,
        "last_error": last_error,
        "polls": counts.polls,
        "polls_failed": counts.polls_failed,
        "datagrams_sent": counts.sent,
        "datagrams_retried": counts.retried,
        "requests_given_up": counts.given_up,
        "readings_missing": counts.readings_missing,
        "bindings_max": device.bindings_max,
        "about": device.about,
    })
}
