//! The words of `tune` and `create` that change a database's structure: any words give an error, or
//! a database that a file can represent, filled from another one.
//!
//! The input has a word on each line: words for `tune`, an empty line, words for `create --source`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rrd::refill::{Change, Past, RowChange, prefill};
use rrd::{Definition, LiveState, Room, Snapshot, Timestamp, spec};
use rrdfile::layout::RowIndex;

/// Rows are filled one by one, so more rows would only take longer.
const ROWS_MAX: u64 = 2000;
const LAST_SECONDS: i64 = 1_000_000_007;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let (tune, create) = text.split_once("\n\n").unwrap_or((text, ""));
    let old = old();
    let mut database = old.clone();
    if let Some(changed) = tuned(&old, tune) {
        survives(&changed);
        database = changed;
    }
    if let Some(new) = created(&[old, database], create) {
        survives(&new);
    }
});

/// A database with rows of several functions and resolutions.
fn old() -> Snapshot {
    let specs = [
        "DS:a:GAUGE:600:U:U",
        "DS:b:COUNTER:600:0:U",
        "DS:c:COMPUTE:a,2,*",
        "RRA:AVERAGE:0.5:1:9",
        "RRA:MAX:0.5:3:5",
        "RRA:HWPREDICT:12:0.1:0.1:4",
    ];
    let definition = spec::definition(60, specs).expect("it is right");
    let start = Timestamp::from_seconds(LAST_SECONDS);
    let mut snapshot = Snapshot::empty(&definition, start, &mut room()).expect("it is small");
    for (nth, value) in snapshot.rows.iter_mut().flatten().enumerate() {
        if nth % 5 > 0 {
            *value = nth as f64;
        }
    }
    snapshot
}

fn tuned(old: &Snapshot, text: &str) -> Option<Snapshot> {
    let step_seconds = if text.len() % 2 > 0 { 60 } else { 20 };
    let step = (step_seconds < 60).then(|| step_seconds.to_string());
    let mut change = Change { step, ..Change::default() };
    text.lines().try_for_each(|word| change.add(word)).ok()?;
    let grown = change.rows.iter().map(|(_, change)| match change {
        RowChange::Grow(rows) | RowChange::To(rows) => *rows,
        RowChange::Shrink(_) => 0,
    });
    let mut added = old.definition.clone();
    for word in &change.added_archives {
        // With the smallest step, an archive has the most rows.
        added.step_seconds = step_seconds;
        spec::append_archives(&mut added, word.strip_prefix("RRA:").unwrap_or(word)).ok()?;
    }
    let too_many = grown.sum::<u64>().saturating_add(rows(&added)) > ROWS_MAX;
    (!too_many).then(|| change.apply(old, &mut room()).ok()).flatten()
}

fn created(past: &[Snapshot], text: &str) -> Option<Snapshot> {
    let (tick, step_seconds) = (rrd::Tick::SECOND, 30);
    let definition = Definition { tick, step_seconds, sources: vec![], archives: vec![] };
    let mut builder = spec::Builder::of(definition);
    let mut origins = Vec::new();
    for word in text.lines() {
        origins.extend(builder.append(word).ok()?);
    }
    let definition = builder.definition;
    spec::check_complete(&definition).ok()?;
    let pdps = definition.archives.iter().map(|archive| archive.pdp_per_row).max()?;
    if rows(&definition).saturating_add(pdps) > ROWS_MAX {
        return None;
    }
    let start = Timestamp::from_seconds(LAST_SECONDS);
    let mut new = Snapshot::empty(&definition, start, &mut room()).ok()?;
    prefill(&mut new, &Past { databases: past, origins: &origins }, &mut room()).ok()?;
    Some(new)
}

/// More than any of the databases here needs.
fn room() -> Room {
    Room::of_bytes(1 << 30)
}

fn rows(definition: &Definition) -> u64 {
    definition.archives.iter().fold(0, |sum, archive| sum.saturating_add(archive.rows))
}

/// A file of it is decoded to the same database, if files can say it.
fn survives(snapshot: &Snapshot) {
    let rows = snapshot.definition.archives.iter().map(|archive| RowIndex(archive.rows - 1));
    let written = rrdfile::encode(snapshot, rows.collect());
    if snapshot.definition.check_files_can_say().is_err() {
        return assert!(written.is_err());
    }
    let file = written.expect("its rows are in memory");
    let (header, again) = rrdfile::decode(&file).expect("what we write, we read");
    let same = |a: &LiveState, b: &LiveState| format!("{a:?}") == format!("{b:?}"); // NaN is NaN
    assert!(same(&again.live, &snapshot.live));
    let rows = header.definition.archives.iter().map(|archive| RowIndex(archive.rows - 1));
    assert!(rrdfile::encode(&again, rows.collect()) == Ok(file));
}
