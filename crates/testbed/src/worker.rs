//! A program under test. It gets its task as one argument in JSON, and reports in lines of JSON.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Cgroup, Interrupts};

/// The environment variable with the process id of a worker's parent.
const PARENT: &str = "GYRE_TESTBED_PARENT";

/// Runs this program again, in a control group if there is one, as the worker `name` with its task.
/// `each` gets every line that it prints.
///
/// # Errors
///
/// The worker fails, `each` fails, or a signal came; the worker has ended then.
pub fn run_worker<T: DeserializeOwned>(
    group: Option<&Cgroup>,
    interrupts: &Interrupts,
    words: &[&str],
    task: &impl Serialize,
    mut each: impl FnMut(T) -> Result<(), String>,
) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let task = serde_json::to_string(task).map_err(|error| error.to_string())?;
    let mut command = match group {
        Some(group) => group.command(&program),
        None => Command::new(&program),
    };
    command.args(words).arg(task).stdin(Stdio::null()).stdout(Stdio::piped());
    name_parent(&mut command);
    let child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    let mut running = Running(child);
    let watched = interrupts.program(&running.0)?;
    let output = running.0.stdout.take().expect("it is piped");
    let told = BufReader::new(output).lines().try_for_each(|line| {
        let line = line.map_err(|error| error.to_string())?;
        each(serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))?)
    });
    let ended =
        if told.is_ok() { running.0.wait().map_err(|it| it.to_string()) } else { running.end() };
    drop(watched);
    interrupts.check()?;
    told?;
    match ended? {
        ended if ended.success() => Ok(()),
        ended => Err(format!("the worker ended with {ended}")),
    }
}

/// Tells a program to be started by this process who its parent will be.
pub fn name_parent(command: &mut Command) {
    command.env(PARENT, std::process::id().to_string());
}

/// The first call of a worker: makes it end with its parent.
///
/// # Errors
///
/// The kernel refuses, or the parent has ended meanwhile.
pub fn end_with_parent() -> Result<(), String> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    // If the parent ended before, no signal comes.
    let named = std::env::var(PARENT).ok().and_then(|number| number.parse().ok());
    match named.and_then(Pid::from_raw) {
        named if named.is_some() && named != getppid() => {
            Err("the program that started this worker has ended".into())
        }
        _ => Ok(()),
    }
}

/// A child that is killed when this is dropped.
struct Running(Child);

impl Running {
    fn end(&mut self) -> Result<std::process::ExitStatus, String> {
        // It may have ended already.
        let _ = self.0.kill();
        self.0.wait().map_err(|error| error.to_string())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error cannot be reported here.
        let _ = self.end();
    }
}
