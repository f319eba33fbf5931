//! The whole plan as JSON.

use planner::{Fleet, Load, PlanError, Prediction};
use serde_json::{Map, Value, json};

use super::answers::{Answer, Answers, Limit};
use super::machine::Found;
use super::subject::Subject;
use super::ways::about;
use super::words;
use crate::seconds_json::seconds_json;

/// The document.
pub(super) fn document(subject: &Subject, found: &Found, answers: &Answers) -> Value {
    let first = answers.first.predictions.iter().zip(&answers.limits);
    let ways = answers.ways.iter().zip(first).map(|((name, _), (prediction, limit))| {
        let mut way = json!({ "way": name, "about": about(name) });
        put(&mut way, prediction_json(prediction));
        put(&mut way, limit_json(limit, answers.first.question.fleet.databases()));
        way
    });
    let mut document = json!({
        "machine": machine_json(found),
        "plan": fleet_json(&answers.first),
        "ways": ways.collect::<Vec<_>>(),
        "compared": answers.others.iter().map(|it| compared(answers, it)).collect::<Vec<_>>(),
    });
    put(&mut document, subject_json(subject));
    if !answers.curves.is_empty() {
        document["curves"] = curves(answers);
    }
    document
}

/// Adds the fields of one object to another.
fn put(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

fn subject_json(subject: &Subject) -> Value {
    let mut named = Map::new();
    named.insert("kind".into(), subject.kind.into());
    if let Some(path) = &subject.path {
        crate::json_lines::put_path(&mut named, path.as_os_str().as_encoded_bytes());
    }
    json!({
        "subject": named,
        "notes": subject.notes,
        "there_bytes": subject.there_bytes,
    })
}

fn machine_json(found: &Found) -> Value {
    let machine = &found.machine;
    let disk = &machine.disk;
    json!({
        "memory_bytes": machine.memory_bytes,
        "memory_from": found.memory_from,
        "cores": machine.cores,
        "disk_bytes": machine.disk_bytes,
        "disk_bytes_from": found.room_from,
        "random_reads_per_second": disk.random_reads_per_second,
        "random_writes_per_second": disk.random_writes_per_second,
        "sequential_bytes_per_second": disk.sequential_bytes_per_second,
        "synced_write_seconds": disk.synced_write_seconds,
        "disk_from": found.disk_from,
        "is_disk_measured": found.measured.is_some(),
        "readahead_bytes": machine.readahead_bytes,
        "inode_bytes": machine.file_system.inode_bytes,
        "has_file_system_journal": machine.file_system.has_journal,
    })
}

fn fleet_json(answer: &Answer) -> Value {
    let fleet: &Fleet = &answer.question.fleet;
    let groups = fleet.groups.iter().map(|group| {
        let definition = &group.definition;
        let archives = definition.archives.iter().map(|archive| {
            json!({
                "cf": archive.cf.to_string(),
                "pdp_per_row": archive.pdp_per_row,
                "rows": archive.rows,
            })
        });
        json!({
            "databases": group.databases,
            "cadence_seconds": seconds_json(group.cadence_in_seconds()),
            "step_seconds": seconds_json(definition.step_in_seconds()),
            "sources": definition.sources.len(),
            "archives": archives.collect::<Vec<_>>(),
        })
    });
    json!({
        "name": answer.question.name,
        "databases": fleet.databases(),
        "updates_per_second": fleet.updates_per_second(),
        "groups": groups.collect::<Vec<_>>(),
    })
}

fn compared(answers: &Answers, answer: &Answer) -> Value {
    let ways = answers.ways.iter().zip(&answer.predictions).map(|((name, _), prediction)| {
        let mut way = json!({ "way": name });
        put(&mut way, prediction_json(prediction));
        way
    });
    let mut compared = fleet_json(answer);
    compared["ways"] = ways.collect();
    compared
}

fn limit_json(limit: &Result<Limit, PlanError>, databases: u64) -> Value {
    match limit {
        Ok(limit) => json!({
            "databases_max": limit.databases,
            "databases_more": limit.databases.saturating_sub(databases),
            "breaks_first": words::name(limit.lacks),
        }),
        Err(_) => json!({ "databases_max": null, "databases_more": null, "breaks_first": null }),
    }
}

fn prediction_json(prediction: &Result<Prediction, PlanError>) -> Value {
    let it = match prediction {
        Ok(it) => it,
        Err(error) => return json!({ "fits": false, "impossible": error.to_string() }),
    };
    let bound = it.bound();
    let pace = it.pace.map(
        |pace| json!({ "flush_cycles": pace.flush_cycles, "tile_rows_max": pace.tile_rows_max }),
    );
    json!({
        "fits": it.fits(),
        "bound": words::name(bound.resource),
        "strain": bound.strain(),
        "loads": it.loads.iter().map(load).collect::<Vec<_>>(),
        "updates_per_second": it.updates_per_second,
        "memory": memory_json(it),
        "pages_per_file": it.pages_per_file,
        "disk_bytes": it.disk_bytes,
        "page_ins_per_second": it.reads.page_ins_per_second,
        "waits_per_second": it.reads.waits_per_second,
        "page_ins_per_update": it.reads.page_ins_per_update,
        "page_ins_per_update_max": it.reads.page_ins_per_update_max,
        "written_bytes_per_second": it.written.bytes(),
        "written_bytes_per_update": it.written.bytes() / it.updates_per_second,
        "written": {
            "data_bytes_per_second": it.written.data_bytes,
            "checkpoint_bytes_per_second": it.written.checkpoint_bytes,
            "journal_bytes_per_second": it.written.journal_bytes,
            "metadata_bytes_per_second": it.written.metadata_bytes,
        },
        "cycle": {
            "cadence_seconds": it.cycle.cadence_seconds,
            "seconds": it.cycle.seconds,
            "seconds_max": it.cycle.seconds_max,
            "first_seconds": it.cycle.first_seconds,
        },
        "restart_seconds": it.restart_seconds,
        "pace": pace,
    })
}

fn memory_json(prediction: &Prediction) -> Value {
    let memory = &prediction.memory;
    json!({
        "needed_bytes": memory.needed_bytes(),
        "process_bytes": memory.process_bytes,
        "kernel_bytes": memory.kernel_bytes,
        "page_notes_bytes": memory.page_notes_bytes,
        "page_cache_bytes": memory.page_cache_bytes,
    })
}

fn load(load: &Load) -> Value {
    json!({
        "resource": words::name(load.resource),
        "share": load.share,
        "share_max": load.share_max,
    })
}

fn curves(answers: &Answers) -> Value {
    let curve = |((name, _), points): (&super::ways::Named, &Vec<(u64, Prediction)>)| {
        let points = points.iter().map(|(databases, it)| {
            json!({
                "databases": databases,
                "fits": it.fits(),
                "page_ins_per_second": it.reads.page_ins_per_second,
                "written_bytes_per_second": it.written.bytes(),
                "cycle_seconds_max": it.cycle.seconds_max,
            })
        });
        json!({ "way": name, "points": points.collect::<Vec<_>>() })
    };
    answers.ways.iter().zip(&answers.curves).map(curve).collect()
}
