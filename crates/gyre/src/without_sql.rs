//! What stands in the place of `sql` in a program that is built without that feature.

use std::ffi::OsString;
use std::process::ExitCode;

use options::{Described, HELP};

use crate::command_line::MISUSE;

/// This program knows no SQL databases.
#[derive(Debug, thiserror::Error)]
#[error("this gyre was built without its feature sql")]
pub(crate) struct WithoutSql;

/// The verb, which is there to say so.
pub(crate) fn described() -> Vec<Described> {
    let summary =
        "Feeding tables of SQL databases needs a gyre that was built with its feature sql.";
    vec![Described::plain("gyre sql", "VERB ...", summary, &[HELP])]
}

/// `gyre sql …`.
pub(crate) fn main(_words: Vec<OsString>) -> ExitCode {
    rrdtool::complain!("gyre sql: {WithoutSql}");
    ExitCode::from(MISUSE)
}
