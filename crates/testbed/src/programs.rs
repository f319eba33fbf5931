//! Runs the system's programs that set up devices and file systems.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// Runs a program and returns its output. Ctrl-C at a terminal does not reach it, so no step of
/// setting up or cleaning up is interrupted.
///
/// # Errors
///
/// It is missing or fails; with its error message.
pub(crate) fn run<S: AsRef<OsStr>>(name: &str, words: &[S]) -> Result<String, String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(name);
    // The PATH of users other than root often lacks these directories.
    command.env("PATH", format!("{path}:/usr/sbin:/sbin")).args(words).stdin(Stdio::null());
    // The terminal sends its signals to the foreground process group only.
    command.process_group(0);
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|line| !line.is_empty()).unwrap_or("it says nothing");
    Err(format!("{name}: {}: {said}", output.status))
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn a_program_has_a_group_of_processes_of_its_own() {
        // From `proc_pid_stat(5)`: number, name, state, parent, group.
        let stat = run("cat", &["/proc/self/stat"]).unwrap();
        let fields: Vec<_> = stat.split(' ').collect();
        assert_eq!(fields[0], fields[4], "{stat}");
    }
}
