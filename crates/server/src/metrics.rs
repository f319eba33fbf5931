//! The collector's status as metrics of Prometheus.

use std::collections::HashMap;

use crate::exposition::{Dialect, Exposition, Kind};
use crate::heard;
use crate::view::View;
use crate::{AlertReceiver, Alerting, Cycle, Device, Health, Sql, Status, Totals};

/// All metrics. Those of each device only if asked for: a network of many devices would fill the
/// memory of whoever scrapes them.
pub(crate) fn metrics(view: &View, dialect: Dialect, with_devices: bool) -> String {
    let mut out = Exposition::new(dialect);
    let status = view.status();
    process(&mut out, view, status);
    totals(&mut out, &status.totals);
    cycles(&mut out, status);
    writing(&mut out, status);
    if let Some(alerts) = &status.alerts {
        alerting(&mut out, alerts);
    }
    states(&mut out, status);
    if let Some(heard) = view.heard() {
        heard::write(&mut out, heard);
    }
    if with_devices {
        devices(&mut out, &status.devices);
    }
    out.end()
}

fn process(out: &mut Exposition, view: &View, status: &Status) {
    heard::build(out, &status.program);
    let started = status.started_seconds;
    out.single(Kind::Gauge, "gyre_start_time_seconds", "When it started, since 1970.", started);
    let interval = status.interval_seconds;
    out.single(
        Kind::Gauge,
        "gyre_interval_seconds",
        "The shortest time between two cycles.",
        interval,
    );
    let targets = view.count();
    out.single(Kind::Gauge, "gyre_targets", "Targets of the configuration.", targets);
}

fn totals(out: &mut Exposition, totals: &Totals) {
    let polls = "Polls of devices by their outcome.";
    let mut polls = out.family(Kind::Counter, "gyre_polls", polls);
    for (outcome, count) in [
        ("answered", totals.polls_answered),
        ("silent", totals.polls_silent),
        ("denied", totals.polls_denied),
        ("no_address", totals.polls_without_address),
    ] {
        polls.sample(&[("outcome", outcome)], count);
    }
    let mut reloads = out.family(
        Kind::Counter,
        "gyre_reloads",
        "Reloads of the configuration; one with an error changes nothing.",
    );
    reloads.sample(&[("result", "done")], totals.reloads);
    reloads.sample(&[("result", "refused")], totals.reloads_refused);
    for (name, help, count) in [
        ("gyre_cycles", "Cycles that are over.", totals.cycles),
        ("gyre_readings", "Values read.", totals.readings),
        ("gyre_readings_missing", "Values asked for and not read.", totals.readings_missing),
        ("gyre_targets_polled", "Targets that got values, in all cycles.", totals.targets_polled),
        ("gyre_targets_missed", "Targets that got none, in all cycles.", totals.targets_missed),
        ("gyre_samples_stored", "Samples that the store took.", totals.samples_stored),
        ("gyre_samples_refused", "Samples that the store refused.", totals.samples_refused),
        (
            "gyre_samples_lost",
            "Samples dropped because writing could not keep up.",
            totals.samples_lost,
        ),
        (
            "gyre_datagrams_sent",
            "Datagrams sent, those sent again included.",
            totals.datagrams_sent,
        ),
        ("gyre_datagrams_retried", "Datagrams sent again.", totals.datagrams_retried),
        ("gyre_datagrams_received", "Datagrams received.", totals.datagrams_received),
        (
            "gyre_datagrams_foreign",
            "Datagrams received that nobody waited for, or that are not SNMP.",
            totals.datagrams_foreign,
        ),
        (
            "gyre_connections_broken",
            "Connections to devices asked over TCP that could not be made, or broke.",
            totals.connections_broken,
        ),
        ("gyre_sent_bytes", "Bytes sent, without headers of UDP and IP.", totals.bytes_sent),
        (
            "gyre_received_bytes",
            "Bytes received, without headers of UDP and IP.",
            totals.bytes_received,
        ),
    ] {
        out.single(Kind::Counter, name, help, count);
    }
}

fn cycles(out: &mut Exposition, status: &Status) {
    let poll = "From a cycle's first question to its last answer.";
    out.histogram("gyre_cycle_poll_duration_seconds", poll, &status.durations.poll);
    let write = "Spent in the store for a cycle.";
    out.histogram("gyre_cycle_write_duration_seconds", write, &status.durations.write);
    let over: Vec<(String, &Cycle)> = status
        .rounds
        .iter()
        .filter_map(|round| Some((round.interval_seconds.to_string(), round.cycle.as_ref()?)))
        .collect();
    let help = "When the last cycle was over, since 1970.";
    let mut ended = out.family(Kind::Gauge, "gyre_cycle_ended_time_seconds", help);
    for (interval, cycle) in &over {
        ended.sample(&[("interval_seconds", interval)], cycle.ended_seconds);
    }
    let help = "Targets that got no value in the last cycle.";
    let mut missed = out.family(Kind::Gauge, "gyre_cycle_targets_missed", help);
    for (interval, cycle) in &over {
        missed.sample(&[("interval_seconds", interval)], cycle.targets_missed);
    }
}

fn writing(out: &mut Exposition, status: &Status) {
    let writing = &status.writing;
    let queued = "Messages to the writing thread that it has not taken yet.";
    out.single(Kind::Gauge, "gyre_queue_messages", queued, writing.queued);
    let most = "The most messages before samples are dropped.";
    out.single(Kind::Gauge, "gyre_queue_messages_max", most, writing.queued_max);
    if let Some(databases) = writing.databases {
        let help = "Databases in the ring store.";
        out.single(Kind::Gauge, "gyre_store_databases", help, databases);
    }
    let help = "1 if the store reports a problem that keeps it from writing.";
    out.single(Kind::Gauge, "gyre_store_trouble", help, u8::from(writing.is_troubled));
    if let Some(feed) = &writing.sql {
        sql(out, feed);
    }
}

fn sql(out: &mut Exposition, feed: &Sql) {
    let help = "1 if the database whose tables are fed is reached.";
    out.single(Kind::Gauge, "gyre_sql_up", help, u8::from(feed.is_connected));
    let help = "Databases of the store that are fed.";
    out.single(Kind::Gauge, "gyre_sql_databases", help, feed.databases);
    let help = "Attempts that failed since the database was reached last.";
    out.single(Kind::Gauge, "gyre_sql_failures", help, feed.failures);
    let help = "Rows that were committed.";
    out.single(Kind::Counter, "gyre_sql_rows", help, feed.rows);
    let help = "Rows that the store had overwritten before they could be fed.";
    out.single(Kind::Counter, "gyre_sql_rows_lost", help, feed.rows_lost);
}

fn alerting(out: &mut Exposition, alerts: &Alerting) {
    let help = "Limits that are broken at present.";
    out.single(Kind::Gauge, "gyre_alerts", help, alerts.standing);
    let help = "How often a broken limit became no alert because too many stood.";
    out.single(Kind::Counter, "gyre_alerts_without_room", help, alerts.without_room);
    let receivers = numbered(alerts.receivers.iter(), |receiver| {
        format!("{} {}", receiver.kind, receiver.address)
    });
    for (kind, name, help, of) in RECEIVER_METRICS {
        let mut family = out.family(*kind, name, help);
        for (receiver, nth) in &receivers {
            let labels =
                [("receiver", receiver.kind), ("address", &*receiver.address), ("nth", nth)];
            family.sample(if nth.is_empty() { &labels[..2] } else { &labels }, of(receiver));
        }
    }
}

/// How a value of a receiver of alerts is found.
type OfReceiver = fn(&AlertReceiver) -> u64;

/// The metrics of each receiver of alerts.
const RECEIVER_METRICS: &[(Kind, &str, &str, OfReceiver)] = &[
    (Kind::Gauge, "gyre_alert_receiver_up", "1 if the receiver took the last post.", |receiver| {
        receiver.is_up.into()
    }),
    (Kind::Counter, "gyre_alerts_sent", "Alerts that it took, repeated ones too.", |receiver| {
        receiver.sent
    }),
    (
        Kind::Counter,
        "gyre_alert_posts_failed",
        "Posts that failed and are tried again.",
        |receiver| receiver.posts_failed,
    ),
    (Kind::Counter, "gyre_alerts_refused", "Alerts that it refused.", |receiver| receiver.refused),
    (
        Kind::Counter,
        "gyre_alert_ends_untold",
        "Alerts of whose end it could not be told in time.",
        |receiver| receiver.ends_untold,
    ),
];

/// Each with nothing, or with its number if one before it has the same name: two series of one name
/// would make the whole text invalid.
fn numbered<T>(all: impl Iterator<Item = T>, name: impl Fn(&T) -> String) -> Vec<(T, String)> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    all.map(|one| {
        let count = counts.entry(name(&one)).or_default();
        *count += 1;
        let nth = if *count == 1 { String::new() } else { count.to_string() };
        (one, nth)
    })
    .collect()
}

fn states(out: &mut Exposition, status: &Status) {
    let mut counts = [0_u64; Health::ALL.len()];
    for device in &status.devices {
        counts[device.health as usize] += 1;
    }
    let mut states = out.family(Kind::Gauge, "gyre_devices", "Devices by their state.");
    for (health, count) in Health::ALL.into_iter().zip(counts) {
        states.sample(&[("state", health.name())], count);
    }
}

/// How a value of a device is found.
type OfDevice = fn(&Device) -> Option<f64>;

/// The metrics of each device.
const DEVICE_METRICS: &[(Kind, &str, &str, OfDevice)] = &[
    (Kind::Gauge, "gyre_device_up", "1 if the device answers.", |device| {
        let is_known = device.health != Health::Unknown;
        is_known.then_some(f64::from(u8::from(!device.health.is_silent())))
    }),
    (
        Kind::Gauge,
        "gyre_device_latency_seconds",
        "From the first question of the last cycle to the last answer.",
        |device| device.took_seconds,
    ),
    (
        Kind::Gauge,
        "gyre_device_latency_smoothed_seconds",
        "The same, smoothed over about eight cycles.",
        |device| device.took_smoothed_seconds,
    ),
    (
        Kind::Gauge,
        "gyre_device_answered_time_seconds",
        "When the device last answered, since 1970.",
        |device| device.answered_seconds.map(|seconds| seconds as f64),
    ),
    (
        Kind::Gauge,
        "gyre_device_bindings_max",
        "The most bindings in a message that the device is known to answer.",
        |device| device.bindings_max.map(f64::from),
    ),
    (Kind::Counter, "gyre_device_polls", "Polls of the device.", |device| {
        Some(device.counts.polls as f64)
    }),
    (Kind::Counter, "gyre_device_polls_failed", "Its polls without any answer.", |device| {
        Some(device.counts.polls_failed as f64)
    }),
    (Kind::Counter, "gyre_device_datagrams_sent", "Datagrams sent to it.", |device| {
        Some(device.counts.sent as f64)
    }),
    (Kind::Counter, "gyre_device_datagrams_retried", "Datagrams sent to it again.", |device| {
        Some(device.counts.retried as f64)
    }),
    (
        Kind::Counter,
        "gyre_device_requests_given_up",
        "Requests of which no attempt was answered.",
        |device| Some(device.counts.given_up as f64),
    ),
];

fn devices(out: &mut Exposition, devices: &[Device]) {
    // Two agents may have one name, such as one address with two communities.
    let devices = numbered(devices.iter(), |device| device.name.to_string());
    for (kind, name, help, of) in DEVICE_METRICS {
        let mut family = out.family(*kind, name, help);
        for (device, nth) in &devices {
            let Some(value) = of(device) else { continue };
            match nth.is_empty() {
                true => family.sample(&[("device", &device.name)], value),
                false => family.sample(&[("device", &device.name), ("nth", nth)], value),
            }
        }
    }
}
