//! The system's own programs, which set devices and file systems up.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Runs a program and gives what it prints.
///
/// # Errors
/// It is missing, or fails; with what it says.
pub(crate) fn run<S: AsRef<OsStr>>(name: &str, words: &[S]) -> Result<String, String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(name);
    // Users other than root often have no path to these.
    command.env("PATH", format!("{path}:/usr/sbin:/sbin")).args(words).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|line| !line.is_empty()).unwrap_or("it says nothing");
    Err(format!("{name}: {}: {said}", output.status))
}
