//! System calls of an update, counted by `strace` if it can be used.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::task::Task;

/// The number of files that is enough for counting.
const FILES_MAX: u32 = 20;

/// Why they cannot be counted, if so: `strace` is not installed, or the kernel does not let it
/// trace.
pub(crate) fn missing() -> Option<&'static str> {
    static MISSING: OnceLock<Option<String>> = OnceLock::new();
    MISSING.get_or_init(|| traced("true").err()).as_deref()
}

/// Traces a program that does nothing.
fn traced(program: &str) -> Result<(), String> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-c", "-o", "/dev/null", program]).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("strace: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("strace does not trace here: {}", said.lines().next().unwrap_or(""))),
    }
}

/// System calls of one update: those for twice as many files minus those for the files, so that
/// calls at the start of the program and in each cycle cancel out. `None` if fewer calls were
/// counted for more files. The files' last updates are later afterwards.
pub(crate) fn per_update(
    task: &mut Task,
    cycles: u64,
    count_file: &Path,
) -> Result<Option<f64>, String> {
    let files = (task.files.count / 2).clamp(1, FILES_MAX);
    task.cycles = cycles;
    let mut counted = [0; 2];
    for (times, counted) in [2, 1].into_iter().zip(&mut counted) {
        task.files.count = times * files;
        *counted = of(task, count_file)?;
        task.files.last_seconds += cycles * task.files.layout.step_seconds();
    }
    Ok(each(counted, cycles as f64 * f64::from(files)))
}

fn each([twice, once]: [u64; 2], updates: f64) -> Option<f64> {
    twice.checked_sub(once).map(|calls| calls as f64 / updates)
}

fn of(task: &Task, count_file: &Path) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let task = serde_json::to_string(task).map_err(|error| error.to_string())?;
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-c", "-o"]).arg(count_file).arg(program);
    command.args([crate::worker::WORD, &task]).stdout(Stdio::null());
    let status = command.status().map_err(|error| format!("strace: {error}"))?;
    if !status.success() {
        return Err(format!("strace: {status}"));
    }
    let told = std::fs::read_to_string(count_file).map_err(|error| format!("strace: {error}"))?;
    total(&told).ok_or_else(|| "strace: no total in what it counted".into())
}

/// The calls in the last line of a table, in its fourth column.
fn total(table: &str) -> Option<u64> {
    let line = table.lines().find(|line| line.trim_end().ends_with(" total"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_total_is_read() {
        let table = "% time     seconds  usecs/call     calls    errors syscall\n\
                     ------ ----------- ----------- --------- --------- ----------------\n \
                     60.00    0.000600           6       100           pwrite64\n\
                     ------ ----------- ----------- --------- --------- ----------------\n\
                     100.00    0.001000           7       134        12 total\n";
        assert_eq!(super::total(table), Some(134));
        assert_eq!(super::total(""), None);
    }

    #[test]
    fn fewer_calls_for_more_files_are_no_count() {
        assert_eq!(super::each([300, 100], 50.0), Some(4.0));
        assert_eq!(super::each([100, 300], 50.0), None);
    }

    #[test]
    fn a_program_that_cannot_be_traced_is_told() {
        assert!(super::traced("/no/such/program").is_err());
    }
}
