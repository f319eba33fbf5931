//! `gyre restore BACKUP DIRECTORY`: writes the files of a snapshot below a directory.

use std::path::PathBuf;

use backup::{Restored, Restoring};
use figures::size;
use options::{CommandLine, Misuse, checked, switch};
use serde_json::json;

use super::watch::Line;
use super::{Failure, answer_json, answer_line};

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre restore [OPTIONS] BACKUP DIRECTORY [PATH...]",
    summary: "If the first operand is a backup: restore the files of a snapshot below a directory, \
              which is made if it is missing; with PATHs, only these and what lies below them. \
              Files come back with their permissions and times. What is damaged is named, and \
              everything else put back. What is there already is left alone; run again, it goes \
              on.",
    options: &[
        checked("-s --snapshot", "N", "restore snapshot N instead of the newest", |it, value| {
            it.restoring.snapshot = Some(value.number_u32(1..=u32::MAX)?);
            Ok(())
        }),
        switch("--force", "replace existing files", |it| {
            it.restoring.force = true;
        }),
        switch("--json", "print the result as JSON", |it| it.as_json = true),
    ],
    notes: "exit codes: 0 all files are restored; 1 some are not, and are named; 2 misuse\n",
};

/// The values of the options.
#[derive(Default)]
pub(super) struct Wanted {
    restoring: Restoring,
    as_json: bool,
}

pub(super) fn run(wanted: Wanted, operands: &[PathBuf]) -> Result<(), Failure> {
    let Wanted { restoring: mut wanted, as_json } = wanted;
    let [root, into, paths @ ..] = operands else {
        return Err(Misuse::operands("a backup and a directory").into());
    };
    wanted.paths = paths.iter().map(|path| path.components().collect()).collect();
    let line = Line::new();
    let show = |done: &Restored| {
        line.draw(|| format!("{} files, {} written", done.files, size(done.bytes)));
    };
    let restored = backup::restore(root, into, &wanted, show)?;
    drop(line);
    let Restored { number, files, bytes, there, problems } = &restored;
    match as_json {
        true => answer_json(&json!({
            "snapshot": number, "files": files, "bytes": bytes, "there": there, "problems": problems,
        }))?,
        false => {
            let were_there =
                if *there > 0 { format!(", {there} there already") } else { "".into() };
            let written = size(*bytes);
            answer_line(&format!("snapshot {number}: {files} files, {written}{were_there}"))?;
            problems.iter().for_each(|problem| rrdtool::complain!("{problem}"));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::Told) }
}
