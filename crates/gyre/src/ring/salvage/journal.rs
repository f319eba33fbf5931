//! `gyre store salvage` for a daemon's journal.

use std::fmt::Write as _;
use std::path::Path;

use files::cache::{JournalSalvage, LostRecords, SalvagedJournal};
use serde_json::{Value, json};

use super::wanted::{Wanted, nothing_written};
use rrdtool::{Failure, Session};

pub(super) fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let root = wanted.root.as_str();
    let salvage = JournalSalvage::try_out(Path::new(root)).map_err(Failure::at(root))?;
    let found = salvage.found().clone();
    let is_sound = found.given_up.is_empty();
    let mut aside = None;
    if wanted.yes && !is_sound {
        let place = wanted.place_of(Path::new(root));
        salvage.write(&place).map_err(Failure::at(root))?;
        aside = Some(place);
    }
    session.out.extend(match wanted.as_json {
        true => format!("{:#}\n", as_json(root, &found, aside.as_deref())).into_bytes(),
        false => as_text(root, &found, aside.as_deref()).into_bytes(),
    });
    match is_sound || aside.is_some() {
        true => Ok(()),
        false => Err(nothing_written(root)),
    }
}

fn as_text(root: &str, found: &SalvagedJournal, aside: Option<&Path>) -> String {
    let mut out = String::new();
    for lost in &found.given_up {
        let LostRecords { segment, offset_bytes, what, .. } = lost;
        let _ =
            writeln!(out, "given up  {segment}: at byte {offset_bytes}: {what}{}", extent(lost));
    }
    let SalvagedJournal { files, samples, orphans, .. } = found;
    if found.given_up.is_empty() {
        let _ = writeln!(
            out,
            "{root}: nothing is to be salvaged; {samples} samples of {files} file(s)"
        );
        return out;
    }
    if *orphans > 0 {
        let _ = writeln!(
            out,
            "given up  {orphans} samples that can be read: what their files held before them is lost"
        );
    }
    let are = if aside.is_some() { "are" } else { "would be" };
    let _ = writeln!(out, "{root}: {samples} samples of {files} file(s) {are} kept");
    if let Some(aside) = aside {
        let aside = aside.display();
        let _ = writeln!(out, "{root}: the damaged files lie, as they were, in {aside}");
    }
    out
}

/// How much is lost, and since when.
fn extent(lost: &LostRecords) -> String {
    let mut extent = match lost.lost_bytes {
        0 => String::new(),
        bytes => format!("; {bytes} bytes of records are lost"),
    };
    let times = match (lost.after_seconds, lost.before_seconds) {
        (Some(after), Some(before)) => {
            format!("between a sample of {after} and one of {before}")
        }
        (Some(after), None) => format!("behind a sample of {after}"),
        (None, Some(before)) => format!("before a sample of {before}"),
        (None, None) => return extent,
    };
    if extent.is_empty() {
        extent = "; records may be lost".into();
    }
    extent + " " + &times
}

fn as_json(root: &str, found: &SalvagedJournal, aside: Option<&Path>) -> Value {
    let given_up = |lost: &LostRecords| {
        json!({
            "file": lost.segment,
            "offset_bytes": lost.offset_bytes,
            "what": lost.what,
            "lost_bytes": lost.lost_bytes,
            "after_seconds": lost.after_seconds,
            "before_seconds": lost.before_seconds,
        })
    };
    json!({
        "journal": root,
        "written": aside.is_some(),
        "aside": aside.map(|aside| aside.to_string_lossy()),
        "given_up": found.given_up.iter().map(given_up).collect::<Vec<_>>(),
        "samples_without_base": found.orphans,
        "files": found.files,
        "samples": found.samples,
    })
}
