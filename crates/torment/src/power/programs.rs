//! Runs the system's programs that set up a disk.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::Checked;

/// Runs a program; returns its output.
pub(super) fn run(name: &str, words: &[&OsStr]) -> Checked<String> {
    let mut command = Command::new(name);
    command.args(words).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ");
            Err(format!("{name} {}: {said}", words.join(OsStr::new(" ")).display()))
        }
    }
}
