//! `gyre backup`: copies of live stores and trees of files, looked through, and put back.

mod watch;
mod words;
mod take;
mod list;
mod verify;
mod restore;

use std::ffi::OsString;
use std::process::ExitCode;

use serde_json::Value;

use crate::command_line::{CommandLine, Unprinted, Word, answer};
use crate::misuse::Misuse;

/// `gyre backup …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words: Vec<OsString> = words.into_iter().collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("list") => perform(&list::COMMAND_LINE, words.drain(1..), list::run),
        Some("verify") => perform(&verify::COMMAND_LINE, words.drain(1..), verify::run),
        _ => perform(&take::COMMAND_LINE, words, take::run),
    }
}

/// Whether the words after `restore` are about a backup, and not about rrdtool's XML.
pub(crate) fn is_restore(words: &[OsString]) -> bool {
    let read = restore::COMMAND_LINE.read(words.iter().cloned()).unwrap_or_default();
    let operand = read.into_iter().find_map(|word| match word {
        Word::Operand(operand) => Some(operand),
        Word::Option(..) => None,
    });
    operand.is_some_and(|operand| backup::is_backup(operand.as_ref()))
}

/// `gyre restore BACKUP …`.
pub(crate) fn restore(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    perform(&restore::COMMAND_LINE, words, restore::run)
}

/// The help of [`restore()`], to stand behind that of rrdtool's verb.
pub(crate) fn restore_help() -> String {
    restore::COMMAND_LINE.help()
}

/// Why a verb did not do what it was told.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Misuse(#[from] Misuse),
    #[error(transparent)]
    Backup(#[from] backup::Error),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
    #[error("everything is told already")]
    Told,
}

/// What was found or done, as JSON.
fn answer_json(value: &Value) -> Result<(), Failure> {
    Ok(answer(&format!("{value:#}\n"))?)
}

/// The same, as a line of text.
fn answer_line(line: &str) -> Result<(), Failure> {
    Ok(answer(&format!("{line}\n"))?)
}

fn perform(
    line: &CommandLine,
    words: impl IntoIterator<Item = OsString>,
    run: fn(&[Word]) -> Result<(), Failure>,
) -> ExitCode {
    let name = line.synopsis.split(' ').next().unwrap_or_default();
    let done = match line.read(words) {
        Ok(read) if read.contains(&Word::Option("help", OsString::new())) => {
            Ok(answer(&line.help()).map_err(Failure::from))
        }
        read => read.map(|words| run(&words)),
    };
    match done.map_err(Failure::Misuse).flatten() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Told) => ExitCode::FAILURE,
        Err(Failure::Misuse(misuse)) => {
            rrdtool::complain!("gyre {name}: {misuse}\n");
            rrdtool::complain!("{}", line.help().trim_end());
            ExitCode::from(2)
        }
        Err(failure) => {
            rrdtool::complain!("gyre {name}: {failure}");
            ExitCode::FAILURE
        }
    }
}
