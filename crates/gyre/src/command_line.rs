//! How a verb begins and ends: what its words ask for, what it prints, and its exit code.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;

use options::{CommandLine, Misuse};
use pagecache::Fault;
use rrdtool::{Failure, Session, system_words};

use crate::shown_path::put_path;

/// The exit code of a verb whose words are not understood.
pub(crate) const MISUSE: u8 = 2;

/// Prints a verb's answer. That who reads has gone is no failure: what was to be done is done.
///
/// # Errors
/// What kept it from being printed.
pub(crate) fn answer(text: &str) -> Result<(), Unprinted> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Unprinted(error)),
        _ => Ok(()),
    }
}

/// An answer cannot be printed.
#[derive(Debug, thiserror::Error)]
#[error("{}", system_words(.0))]
pub(crate) struct Unprinted(io::Error);

/// The same, and nothing else: how `who` ends, who has no more to do than that.
pub(crate) fn show(who: &str, text: &str) -> ExitCode {
    match answer(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            rrdtool::complain!("{who}: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// What the words ask for; where that is help, or nothing that can be understood, that is printed
/// and the exit code returned.
pub(crate) fn understood<T, W>(
    line: &CommandLine<T>,
    parsed: Result<Option<W>, Misuse>,
) -> Result<W, ExitCode> {
    let name = line.name();
    match parsed {
        Ok(Some(wanted)) => Ok(wanted),
        Ok(None) => Err(show(&name, &line.help())),
        Err(misuse) => {
            rrdtool::complain!("{name}: {misuse}\n`{name} --help` tells more");
            Err(ExitCode::from(MISUSE))
        }
    }
}

/// Does what the words ask for with databases: what it gathers in the session is printed at its
/// end.
pub(crate) fn with_databases<T, W>(
    line: &CommandLine<T>,
    parsed: Result<Option<W>, Misuse>,
    work: impl FnOnce(&mut Session, &W) -> Result<(), Failure>,
) -> ExitCode {
    match understood(line, parsed) {
        Ok(wanted) => rrdtool::program::in_session(|session| work(session, &wanted)),
        Err(code) => code,
    }
}

/// How a verb ends that did what it was told, or did not and says why.
pub(crate) fn ended<T>(line: &CommandLine<T>, done: Result<(), impl Display>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            rrdtool::complain!("{}: {reason}", line.name());
            ExitCode::FAILURE
        }
    }
}

/// Says what ended a verb, but not that who reads has gone: that is its choice.
pub(crate) fn say_error<T>(line: &CommandLine<T>, error: &io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
        rrdtool::complain!("{}: {}", line.name(), system_words(error));
    }
}

/// Says what could not be done with a file.
pub(crate) fn say_fault<T>(line: &CommandLine<T>, path: &[u8], fault: &Fault) {
    let mut name = Vec::new();
    put_path(&mut name, path, io::stderr().is_terminal());
    let (file, words) = (OsStr::from_bytes(&name).display(), system_words(&fault.error));
    rrdtool::complain!("{}: {file}: {}: {words}", line.name(), fault.action);
}
