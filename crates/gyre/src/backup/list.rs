//! `gyre backup list`: the snapshots of a backup.

use std::path::PathBuf;

use backup::Snapshot;
use figures::{moment, size};
use jiff::tz::TimeZone;
use options::{CommandLine, Misuse, switch};
use serde_json::{Value, json};

use super::{Failure, answer_json, answer_line};

pub(super) const LINE: CommandLine<bool> = CommandLine {
    synopsis: "gyre backup list [--json] BACKUP",
    summary: "List the snapshots of a backup, oldest first: number, start time, number of files, \
              their total size, the size added to the backup, and the source.",
    options: &[switch("--json", "the same as JSON", |as_json| *as_json = true)],
    notes: "exit codes: 0 fine; 1 there is no backup, or an index is damaged; 2 misuse\n",
};

pub(super) fn run(as_json: bool, operands: &[PathBuf]) -> Result<(), Failure> {
    let [root] = operands else {
        return Err(Misuse::operands("one backup").into());
    };
    let found = backup::list(root)?;
    let whole: Vec<&Snapshot> = found.iter().flatten().collect();
    match as_json {
        true => answer_json(&Value::from_iter(whole.iter().map(|each| as_value(each))))?,
        false => whole.iter().try_for_each(|each| answer_line(&line(each)))?,
    }
    let damaged: Vec<_> = found.iter().filter_map(|each| each.as_ref().err()).collect();
    damaged.iter().for_each(|error| rrdtool::complain!("{error}"));
    if damaged.is_empty() { Ok(()) } else { Err(Failure::Told) }
}

fn line(snapshot: &Snapshot) -> String {
    let begun = moment(snapshot.begun_seconds, &TimeZone::system());
    let (bytes, added) = (size(snapshot.bytes), size(snapshot.added_bytes));
    let kind = if snapshot.full { "full" } else { "" };
    let (number, files) = (snapshot.number, snapshot.files);
    let source = snapshot.source.display();
    format!("{number:>6}  {begun}  {files:>9} files  {bytes:>9}  +{added:<9}  {kind:<4}  {source}")
}

fn as_value(snapshot: &Snapshot) -> Value {
    json!({
        "snapshot": snapshot.number,
        "begun": snapshot.begun_seconds,
        "ended": snapshot.ended_seconds,
        "source": snapshot.source.to_string_lossy(),
        "full": snapshot.full,
        "files": snapshot.files,
        "bytes": snapshot.bytes,
        "added_bytes": snapshot.added_bytes,
    })
}
