//! A verb of gyre's own.

use std::ffi::OsString;
use std::process::ExitCode;

use options::Described;

/// A verb.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    /// What it does, in a line of `gyre --help` and of `man -k`.
    pub(crate) brief: &'static str,
    /// It gets the words after the verb.
    pub(crate) main: fn(Vec<OsString>) -> ExitCode,
    /// The command, and those below it.
    pub(crate) described: fn() -> Vec<Described>,
}
