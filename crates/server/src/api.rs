//! The content of the pages as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use crate::latest::latest;
use crate::period::Period;
use crate::view::View;
use crate::{Health, Target};

/// The number of targets in an answer unless the request gives one.
pub(crate) const TARGETS_DEFAULT: usize = 1000;
/// The most targets in an answer.
pub(crate) const TARGETS_MAX: usize = 100_000;

#[derive(Serialize)]
struct TargetFacts<'a> {
    name: &'a str,
    title: &'a str,
    device: &'a str,
    remark: &'a str,
    database: &'a str,
    step_seconds: u64,
    graphs: Vec<&'static str>,
    health: &'static str,
    problem: Option<&'a str>,
}

/// The targets that match a query, from `first` on.
pub(crate) fn targets(view: &View, query: &str, first: usize, limit: usize) -> Value {
    let found: Vec<_> = view.catalogue.search(query).collect();
    let stretch = found.iter().skip(first).take(limit.min(TARGETS_MAX));
    let facts: Vec<_> = stretch.map(|target| facts(view, target)).collect();
    json!({ "found": found.len(), "first": first, "targets": facts })
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
        title: &target.title,
        device: &target.device,
        remark: &target.remark,
        database: &target.database,
        step_seconds: target.look.step_seconds,
        graphs: Period::of(&target.look).map(Period::name).collect(),
        health: health_word(health.unwrap_or(Health::Unknown)),
        problem: target.problem.as_deref(),
    }
}

/// The collector's status.
pub(crate) fn status(view: &View) -> Value {
    let status = view.status();
    let cycle = status.cycle.as_ref().map(|cycle| {
        json!({
            "number": cycle.number,
            "ended_seconds": cycle.ended_seconds,
            "targets_polled": cycle.targets_polled,
            "targets_missed": cycle.targets_missed,
            "poll_seconds": cycle.poll_seconds,
            "write_seconds": cycle.write_seconds,
        })
    });
    let devices: Vec<_> = status
        .devices
        .iter()
        .map(|device| {
            json!({
                "name": device.name,
                "health": health_word(device.health),
                "took_seconds": device.took_seconds,
                "answered_seconds": device.answered_seconds,
                "problem": device.problem,
                "about": device.about,
            })
        })
        .collect();
    json!({
        "program": status.program,
        "now_seconds": view.now_seconds,
        "started_seconds": status.started_seconds,
        "interval_seconds": status.interval_seconds,
        "targets": view.catalogue.targets().len(),
        "cycle": cycle,
        "remarks": status.remarks,
        "devices": devices,
    })
}

fn health_word(health: Health) -> &'static str {
    match health {
        Health::Unknown => "unknown",
        Health::Answering => "answering",
        Health::Restarted => "restarted",
        Health::Silent => "silent",
    }
}
