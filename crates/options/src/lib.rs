//! Options of command lines: one table feeds the parser and the help.

mod scan;
mod help;
mod size;

/// One option.
#[derive(Debug)]
pub struct OptionRule {
    /// The name after `--`.
    pub long: &'static str,
    /// The letter after `-`, if there is one.
    pub short: Option<char>,
    /// What its value is called, if it takes one.
    pub value: Option<&'static str>,
    /// What it does.
    pub help: &'static str,
}

pub use help::{Columns, append_options, wrap};
pub use scan::{Found, Misread, Options};
pub use size::bytes;
