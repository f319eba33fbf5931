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
    summary: "Copy what is new in a ring store, or in a directory with all that lies below it, to a \
              backup, as one more snapshot. Others may go on writing meanwhile; the page cache stays \
              as it was. The backup is a directory, which is made if it is missing. A run that was \
              killed is gone on with by running it again.",
    options: &[
        switch("--full", "copy all of it: the snapshot needs no earlier one", |it| {
            it.options.full = true;
        }),
        checked(
            "--keep",
            "N",
            "then take away all snapshots but the newest N, and what only they needed",
            |it, value| {
                it.options.keep = Some(value.number(1..=u64::from(u32::MAX))? as usize);
                Ok(())
            },
        ),
        switch(
            "--checksum",
            "read all files, those too whose size, times and inode are as they were",
            |it| it.options.read_all = true,
        ),
        switch("--no-verify", "do not read back from the disk what was written", |it| {
            it.options.verify = false;
        }),
        switch("--json", "what was done, as JSON", |it| it.as_json = true),
    ],
    notes: "exit codes: 0 all of it is in the snapshot; 1 some files are not, which are named, or \
            there is no\nnew snapshot; 2 misuse\n",
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
        rrdtool::complain!("gone on with a run that had not come to its end");
    }
    if report.unsettled > 0 {
        rrdtool::complain!("{} files changed while they were copied, each time", report.unsettled);
    }
    if !report.removed.is_empty() {
        let removed: Vec<String> = report.removed.iter().map(u32::to_string).collect();
        answer_line(&format!("taken away: {}", removed.join(", ")))?;
    }
    if report.same_file_system {
        rrdtool::complain!("the backup is on the disk of what it is of: one fault may take both");
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
