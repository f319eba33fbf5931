//! `gyre backup`: takes, verifies and restores copies of live stores and of trees of files.

mod watch;
mod take;
mod list;
mod verify;
mod restore;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use options::{CommandLine, Misuse};
use serde_json::Value;

use crate::command_line::{MISUSE, Unprinted, answer, show};

/// The commands, for their page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![take::LINE.described(), list::LINE.described(), verify::LINE.described()]
}

/// `gyre backup …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words: Vec<OsString> = words.into_iter().collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("list") => perform(&list::LINE, words.drain(1..), list::run),
        Some("verify") => perform(&verify::LINE, words.drain(1..), verify::run),
        _ => perform(&take::LINE, words, take::run),
    }
}

/// Whether the words after `restore` are about a backup, and not about rrdtool's XML.
pub(crate) fn is_restore(words: &[OsString]) -> bool {
    let read = restore::LINE.operands(words.iter().cloned());
    let operands = read.ok().flatten().unwrap_or_default();
    operands.first().is_some_and(|operand| backup::is_backup(operand.as_ref()))
}

/// `gyre restore BACKUP …`.
pub(crate) fn restore(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    perform(&restore::LINE, words, restore::run)
}

/// The help of [`restore()`]; it is printed after the help of rrdtool's verb `restore`.
pub(crate) fn restore_help() -> String {
    restore::LINE.help()
}

/// `gyre restore BACKUP …`, for its page.
pub(crate) fn restore_described() -> options::Described {
    restore::LINE.described()
}

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Misuse(#[from] Misuse),
    #[error(transparent)]
    Backup(#[from] backup::Error),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
    #[error("everything is reported already")]
    Told,
}

/// Prints the result as JSON.
fn answer_json(value: &Value) -> Result<(), Failure> {
    Ok(answer(&format!("{value:#}\n"))?)
}

/// Prints the result as a line of text.
fn answer_line(line: &str) -> Result<(), Failure> {
    Ok(answer(&format!("{line}\n"))?)
}

fn perform<T: Default>(
    line: &CommandLine<T>,
    words: impl IntoIterator<Item = OsString>,
    run: fn(T, &[PathBuf]) -> Result<(), Failure>,
) -> ExitCode {
    let name = line.name();
    let done = match line.read(words) {
        Ok(None) => return show(&name, &line.help()),
        Ok(Some((wanted, operands))) => {
            let operands: Vec<PathBuf> = operands.into_iter().map(PathBuf::from).collect();
            run(wanted, &operands)
        }
        Err(misuse) => Err(misuse.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Told) => ExitCode::FAILURE,
        Err(Failure::Misuse(misuse)) => {
            rrdtool::complain!("{name}: {misuse}\n");
            rrdtool::complain!("{}", line.help().trim_end());
            ExitCode::from(MISUSE)
        }
        Err(failure) => {
            rrdtool::complain!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}
