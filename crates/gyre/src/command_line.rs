//! What all verbs share: parsing the arguments, printing the answer, the exit code.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;

use options::{CommandLine, Misuse};
use pagecache::Fault;
use rrdtool::{Failure, Session, system_words};

use crate::shown_path::put_path;

/// The exit code for arguments that cannot be parsed.
pub(crate) const MISUSE: u8 = 2;

/// Prints a verb's answer. A reader that closed the pipe is no failure: the verb's work is done.
///
/// # Errors
///
/// Standard output cannot be written for another reason.
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

/// Prints an answer and gives the exit code, for a verb that does nothing else.
pub(crate) fn show(who: &str, text: &str) -> ExitCode {
    match answer(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            rrdtool::complain!("{who}: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The parsed arguments. If they ask for help or cannot be parsed, prints the help or the error and
/// returns the exit code.
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

/// Parses the arguments and runs `act` with databases. Prints at the end what the session has
/// gathered.
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

/// The exit code of a verb; prints the error if it failed.
pub(crate) fn ended<T>(line: &CommandLine<T>, done: Result<(), impl Display>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            rrdtool::complain!("{}: {reason}", line.name());
            ExitCode::FAILURE
        }
    }
}

/// Prints the error that ended a verb. A closed pipe is not printed: the reader closed it on
/// purpose.
pub(crate) fn say_error<T>(line: &CommandLine<T>, error: &io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
        rrdtool::complain!("{}: {}", line.name(), system_words(error));
    }
}

/// Prints why a file could not be handled.
pub(crate) fn say_fault<T>(line: &CommandLine<T>, path: &[u8], fault: &Fault) {
    let mut name = Vec::new();
    put_path(&mut name, path, io::stderr().is_terminal());
    let (file, words) = (OsStr::from_bytes(&name).display(), system_words(&fault.error));
    rrdtool::complain!("{}: {file}: {}: {words}", line.name(), fault.action);
}
