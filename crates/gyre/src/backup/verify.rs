//! `gyre backup verify`: reads and checks all of a snapshot.

use std::path::{Path, PathBuf};

use backup::Verified;
use figures::size;
use options::{CommandLine, Misuse, checked, switch};
use serde_json::{Value, json};

use super::watch::Line;
use super::{Failure, answer_json, answer_line};

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre backup verify [OPTIONS] BACKUP",
    summary: "Read and check every page that a snapshot needs. Damage is reported with the file, \
              the offset in it, and the place in the backup.",
    options: &[
        checked("-s --snapshot", "N", "verify snapshot N instead of the newest", |it, value| {
            it.snapshot = Some(value.number_u32(1..=u32::MAX)?);
            Ok(())
        }),
        switch("-a --all", "verify every snapshot", |it| it.all = true),
        switch("--json", "print the result as JSON", |it| it.as_json = true),
    ],
    notes: "exit codes: 0 no damage; 1 damage, or there is no such snapshot; 2 misuse\n",
};

/// The values of the options.
#[derive(Default)]
pub(super) struct Wanted {
    snapshot: Option<u32>,
    all: bool,
    as_json: bool,
}

pub(super) fn run(wanted: Wanted, operands: &[PathBuf]) -> Result<(), Failure> {
    let Wanted { snapshot, all, as_json } = wanted;
    let [root] = operands else {
        return Err(Misuse::operands("one backup").into());
    };
    let wanted = match all {
        true => numbers(root)?.into_iter().map(Some).collect(),
        false => vec![snapshot],
    };
    let mut found = Vec::new();
    for snapshot in wanted {
        let line = Line::new();
        let show = |done: &Verified| {
            line.draw(|| format!("{} files, {} checked", done.files, size(done.bytes)));
        };
        found.push(backup::verify(root, snapshot, show)?);
    }
    match as_json {
        true => answer_json(&Value::from_iter(found.iter().map(as_value)))?,
        false => found.iter().try_for_each(tell)?,
    }
    if found.iter().all(|each| each.damage.is_empty()) { Ok(()) } else { Err(Failure::Told) }
}

/// The numbers of all snapshots. A snapshot with a damaged index is an error.
fn numbers(root: &Path) -> Result<Vec<u32>, Failure> {
    let found = backup::list(root)?;
    found.into_iter().map(|each| Ok(each?.number)).collect()
}

fn tell(verified: &Verified) -> Result<(), Failure> {
    verified.damage.iter().try_for_each(|damage| answer_line(damage))?;
    let verdict = if verified.damage.is_empty() { "sound" } else { "damaged" };
    let Verified { number, files, .. } = verified;
    let checked = size(verified.bytes);
    answer_line(&format!("snapshot {number}: {verdict}; {files} files, {checked} checked"))
}

fn as_value(verified: &Verified) -> Value {
    json!({
        "snapshot": verified.number,
        "sound": verified.damage.is_empty(),
        "files": verified.files,
        "bytes": verified.bytes,
        "damage": verified.damage,
    })
}
