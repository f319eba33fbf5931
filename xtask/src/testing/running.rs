//! Runs test programs side by side, and keeps what each prints apart.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use super::apart::leave_out;
use super::order::sort;
use super::programs::Program;
use crate::terminal::{green, red};
use crate::{Outcome, cargo};

/// Programs at the same time. Each has as many threads as there are processors, and most of them
/// wait for more than half of their time.
const AT_ONCE: usize = 3;

/// Runs all programs but those that run apart, including those after a failed one, and the examples in the documentation.
pub(crate) fn run_all(mut programs: Vec<Program>) -> Outcome {
    leave_out(&mut programs);
    sort(&mut programs);
    let logs = cargo::target_directory().join("test-logs");
    fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let logs = &logs;
    let (waiting, failed) = (Mutex::new(programs.into_iter()), Mutex::new(Vec::new()));
    let next = || waiting.lock().ok()?.next();
    let report = |name: &str, outcome: Outcome| {
        let failure = outcome.err().map(|reason| format!("{name}: {reason}"));
        failed.lock().expect("no thread panics").extend(failure);
    };
    thread::scope(|scope| {
        for number in 0..AT_ONCE {
            scope.spawn(move || {
                if number == 0 {
                    report("documentation", run("documentation", &mut examples(), logs));
                }
                while let Some(program) = next() {
                    report(&program.name, run(&program.name, &mut program.command(), logs));
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panics");
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// So many lines of a failed program are told again behind all others.
const LAST_LINES_MAX: usize = 80;

/// What a failed program said of its failures, or its last lines if it said nothing of them.
fn failures(said: &str) -> String {
    let from = said.find("\nfailures:\n").map_or(said, |at| &said[at..]);
    let lines: Vec<&str> = from.trim().lines().collect();
    let first =
        if from.len() < said.len() { 0 } else { lines.len().saturating_sub(LAST_LINES_MAX) };
    lines[first..].iter().take(LAST_LINES_MAX).copied().collect::<Vec<_>>().join("\n")
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.directory).env("CARGO_MANIFEST_DIR", &self.directory);
        command.args(self.skipped.iter().flat_map(|tests| ["--skip", tests]));
        command
    }
}

/// The examples in the documentation of all crates.
fn examples() -> Command {
    let mut command = cargo::command();
    command.args(["test", "--locked", "--workspace", "--no-fail-fast", "--doc"]);
    command
}

/// Runs one command, and prints what it said when it has ended. A file takes that, as a pipe would
/// stay open for as long as a process that the tests left behind.
fn run(name: &str, command: &mut Command, logs: &Path) -> Outcome {
    let path = logs.join(name.replace('/', "-"));
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let log = File::create(&path).map_err(told)?;
    command.stdin(Stdio::null()).stdout(log.try_clone().map_err(told)?).stderr(log);
    let start = Instant::now();
    let status = command.status().map_err(|error| error.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    let said = fs::read(&path).map_err(told)?;
    let verdict = if status.success() { green("ok") } else { red("FAILED") };
    let mut shown = said.trim_ascii_end().to_vec();
    writeln!(shown, "\n{seconds:7.1} s  {name}  {verdict}").expect("memory takes everything");
    // In one call, so that no other program's output comes between.
    std::io::stderr().write_all(&shown).map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{status}\n{}", failures(&String::from_utf8_lossy(&said))))
}

#[cfg(test)]
mod tests {
    use super::{LAST_LINES_MAX, failures};

    #[test]
    fn a_failure_is_told_without_what_passed() {
        let said = "test a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nbroken\n";
        assert_eq!(failures(said), "failures:\n\n---- b stdout ----\nbroken");
    }

    #[test]
    fn a_program_that_died_is_told_by_its_last_lines() {
        let said: Vec<String> = (0..200).map(|nth| nth.to_string()).collect();
        let told = failures(&said.join("\n"));
        assert_eq!(told.lines().count(), LAST_LINES_MAX);
        assert!(told.ends_with("\n199"));
    }
}
