//! `gyre backup SOURCE BACKUP`: takes another snapshot.

use std::path::PathBuf;
use std::time::Instant;

use backup::{Options, Report};
use figures::{duration, size};
use options::{CommandLine, Misuse, checked, switch};
use serde_json::{Value, json};

use super::watch::Line;
use super::{Failure, answer_json, answer_line};

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre backup [OPTIONS] STORE|DIRECTORY BACKUP\n       gyre backup list BACKUP\n       \
               gyre backup verify BACKUP\n       gyre restore BACKUP DIRECTORY [PATH...]",
    summary: "Copy everything new in a ring store, or in a directory and below it, to a backup, as \
              another snapshot. Other programs may write meanwhile; the page cache is left \
              unchanged. The backup is a directory, which is made if it does not exist. After a \
              kill, run the command again: it continues where it stopped.",
    options: &[
        switch("--full", "copy everything, so that the snapshot needs no earlier one", |it| {
            it.options.full = true;
        }),
        checked(
            "--keep",
            "N",
            "afterwards remove all snapshots except the newest N, and the data that only they need",
            |it, value| {
                it.options.keep = Some(value.number(1..=u64::from(u32::MAX))? as usize);
                Ok(())
            },
        ),
        switch(
            "--checksum",
            "read all files, even those with unchanged size, times and inode",
            |it| it.options.read_all = true,
        ),
        switch("--no-verify", "do not verify the written data by reading it back", |it| {
            it.options.verify = false;
        }),
        switch("--json", "print the result as JSON", |it| it.as_json = true),
    ],
    notes: "exit codes: 0 all files are in the snapshot; 1 some are not, and are named, or there \
            is\nno new snapshot; 2 misuse\n",
};

/// The values of the options.
#[derive(Default)]
pub(super) struct Wanted {
    options: Options,
    as_json: bool,
}

pub(super) fn run(wanted: Wanted, operands: &[PathBuf]) -> Result<(), Failure> {
    let Wanted { options, as_json } = wanted;
    let [source, destination] = operands else {
        let found = format!("{} names", operands.len());
        return Err(Misuse::words("what to copy and where to", found).into());
    };
    let (line, start) = (Line::new(), Instant::now());
    let report = backup::run(source, destination, &options, &line)?;
    drop(line);
    let seconds = start.elapsed().as_secs_f64();
    match as_json {
        true => answer_json(&as_value(&report, seconds))?,
        false => tell(&report, seconds)?,
    }
    if report.problem_count == 0 { Ok(()) } else { Err(Failure::Told) }
}

fn tell(report: &Report, seconds: f64) -> Result<(), Failure> {
    let Report { number, files, unchanged, .. } = report;
    let (bytes, read, added) =
        (size(report.bytes), size(report.read_bytes), size(report.added_bytes));
    let kind = if report.full { ", full" } else { "" };
    answer_line(&format!(
        "snapshot {number}{kind}: {files} files, {bytes}; {unchanged} unchanged"
    ))?;
    let rate = size((report.read_bytes as f64 / seconds.max(f64::MIN_POSITIVE)) as u64);
    let verified = if report.verified_bytes > 0 { ", read back" } else { "" };
    answer_line(&format!(
        "{read} read, {added} added{verified} in {}, {rate} a second",
        duration(seconds)
    ))?;
    if report.resumed > 0 {
        rrdtool::complain!("continued an unfinished run");
    }
    if report.unsettled > 0 {
        rrdtool::complain!("{} files changed while they were copied, each time", report.unsettled);
    }
    if !report.removed.is_empty() {
        let removed: Vec<String> = report.removed.iter().map(u32::to_string).collect();
        answer_line(&format!("removed: {}", removed.join(", ")))?;
    }
    if report.same_file_system {
        rrdtool::complain!(
            "the backup is on the same disk as its source: one fault may destroy both"
        );
    }
    report.damaged.iter().for_each(|what| rrdtool::complain!("copied anew for this: {what}"));
    report.problems.iter().for_each(|problem| rrdtool::complain!("{problem}"));
    let untold = report.problem_count - report.problems.len() as u64;
    if untold > 0 {
        rrdtool::complain!("and {untold} more");
    }
    Ok(())
}

fn as_value(report: &Report, seconds: f64) -> Value {
    json!({
        "snapshot": report.number,
        "full": report.full,
        "files": report.files,
        "directories": report.directories,
        "links": report.links,
        "stores": report.stores,
        "bytes": report.bytes,
        "unchanged": report.unchanged,
        "unsettled": report.unsettled,
        "read_bytes": report.read_bytes,
        "added_bytes": report.added_bytes,
        "verified_bytes": report.verified_bytes,
        "resumed": report.resumed,
        "removed": report.removed,
        "same_file_system": report.same_file_system,
        "seconds": seconds,
        "damaged": report.damaged,
        "problems": report.problems,
        "problem_count": report.problem_count,
    })
}
