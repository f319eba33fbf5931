//! `gyre restore BACKUP DIRECTORY`: what a snapshot holds is put back.

use std::path::PathBuf;

use backup::{Restored, Restoring};
use options::OptionRule;
use serde_json::json;

use super::watch::Line;
use super::words::{number, size};
use super::{Failure, answer_json, answer_line};
use crate::command_line::{CommandLine, Word};
use crate::misuse::Misuse;

pub(super) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "restore [OPTIONS] BACKUP DIRECTORY [PATH...]",
    summary: "Where the first name is that of a backup: put what a snapshot holds back below a \
              directory, which is made if it is missing; with PATHs, only these and what lies below \
              them. Files come back with their permissions and times. What is damaged is named, and \
              everything else put back. What is there already is left alone; run again, it goes on.",
    options: &[
        OptionRule {
            long: "snapshot",
            short: Some('s'),
            value: Some("N"),
            help: "this one instead of the newest",
        },
        OptionRule {
            long: "force",
            short: None,
            value: None,
            help: "put files in place of those that are there",
        },
        OptionRule { long: "json", short: None, value: None, help: "what was done, as JSON" },
    ],
    notes: "exit codes: 0 all of it is there; 1 what is not is named; 2 misuse\n",
};

pub(super) fn run(words: &[Word]) -> Result<(), Failure> {
    let (mut wanted, mut as_json, mut operands) = (Restoring::default(), false, Vec::new());
    for word in words {
        match word {
            Word::Option("snapshot", value) => wanted.snapshot = Some(number("snapshot", value)?),
            Word::Option("force", _) => wanted.force = true,
            Word::Option(..) => as_json = true,
            Word::Operand(operand) => operands.push(PathBuf::from(operand)),
        }
    }
    let [root, into, paths @ ..] = &operands[..] else {
        return Err(Misuse::Operands("a backup and a directory").into());
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
