//! What to run, and what became of it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// A program to run, and its bounds.
#[derive(Clone, Debug)]
pub struct Program {
    /// What to run.
    pub command: Command,
    /// Variables that differ from this process's own; `None` takes one away.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// The program and its process group are killed when they have run for so long.
    pub time_max: Duration,
    /// Where standard output goes.
    pub output: Output,
}

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A line for `/bin/sh -c`.
    Shell(OsString),
    /// A file, which is looked for in PATH if its name has no slash, and its arguments.
    File {
        /// The program's name.
        name: OsString,
        /// What follows the name.
        arguments: Vec<OsString>,
    },
}

/// Where standard output goes. Standard error is always shared with this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// To this process's standard error. The program has ended when its own process has: what it
    /// left running in the background goes on.
    Shared,
    /// To [`Outcome::output`]. As for a shell's backquotes, the program has ended when nothing
    /// holds its output open any more.
    Collected {
        /// What exceeds this is read and dropped.
        bytes_max: usize,
    },
}

/// What became of a program that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Standard output; empty if it was shared.
    pub output: Vec<u8>,
    /// There was more output than may be collected.
    pub is_output_cut: bool,
    /// How long it ran.
    pub took: Duration,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal, which did not come from here.
    Signal(i32),
    /// Killed at its deadline.
    Deadline,
    /// Killed because the [`crate::Runner`] ended.
    Stopped,
}

impl Ended {
    pub(crate) fn by_itself(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, signal) => Self::Signal(signal.unwrap_or_default()),
        }
    }

    /// Whether it ended by itself with code 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(out, "it ended with code {code}"),
            Self::Signal(signal) => write!(out, "it was ended by signal {signal}"),
            Self::Deadline => out.write_str("it was killed at its deadline"),
            Self::Stopped => out.write_str("it was killed because this run ended"),
        }
    }
}

/// Why a program could not be run. If it was started, it was killed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It cannot be started.
    #[error("cannot start {}: {cause}", name.to_string_lossy())]
    Start {
        /// The program's name.
        name: OsString,
        /// The system's error.
        cause: io::Error,
    },
    /// The system refuses to tell of it.
    #[error("cannot wait for {}: {cause}", name.to_string_lossy())]
    Wait {
        /// The program's name.
        name: OsString,
        /// The system's error.
        cause: io::Error,
    },
}

impl Program {
    /// The name of the file that is run.
    pub(crate) fn name(&self) -> OsString {
        match &self.command {
            Command::Shell(_) => "/bin/sh".into(),
            Command::File { name, .. } => name.clone(),
        }
    }
}
