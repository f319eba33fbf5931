//! System calls of an update, counted by `strace`, where it is present.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::files::Files;
use crate::task::Task;

/// Whether they can be counted.
pub(crate) fn can_be_counted() -> bool {
    let told =
        Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    told.is_ok_and(|status| status.success())
}

/// System calls of one update: those of so many cycles less those of one, so that what a program
/// does at its start does not count. The files are as much older afterwards.
pub(crate) fn per_update(task: &mut Task, cycles: u64, count_file: &Path) -> Result<f64, String> {
    let (mut counted, updates) = ([0; 2], cycles as f64 * f64::from(task.files.count));
    for (cycles, counted) in [1, 1 + cycles].into_iter().zip(&mut counted) {
        task.cycles = cycles;
        *counted = of(task, count_file)?;
        task.files.last_seconds += cycles * task.files.layout.step_seconds();
    }
    Ok(counted[1].saturating_sub(counted[0]) as f64 / updates)
}

fn of(task: &Task, count_file: &Path) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let task = serde_json::to_string(task).map_err(|error| error.to_string())?;
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-c", "-o"]).arg(count_file).arg(program);
    command.args(crate::worker::WORDS).arg(task).stdout(Stdio::null());
    let status = command.status().map_err(|error| format!("strace: {error}"))?;
    if !status.success() {
        return Err(format!("strace: {status}"));
    }
    let told = std::fs::read_to_string(count_file).map_err(|error| format!("strace: {error}"))?;
    total(&told).ok_or_else(|| "strace: no total in what it counted".into())
}

/// The calls in the last line of a table, whose fourth column they are.
fn total(table: &str) -> Option<u64> {
    let line = table.lines().find(|line| line.trim_end().ends_with(" total"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// Files that are enough to count by.
pub(crate) fn few(files: &Files) -> Files {
    Files { count: files.count.min(20), ..files.clone() }
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
}
