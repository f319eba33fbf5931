//! The kernel's side: a worker under a limit of memory.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use testbed::Cgroup;

use super::worker::{NAME, Task, Turn};

/// What the kernel counted.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    /// Of each cycle that counts.
    pub(super) turns: Vec<Turn>,
    /// Page cache of the group, in the mean of those cycles, bytes.
    pub(super) cached_bytes: f64,
    /// Memory of the kernel that counts as the group's, the same.
    pub(super) kernel_bytes: f64,
}

/// Lets a worker do its task within so many bytes of memory; the first cycles do not count.
pub(super) fn run(task: &Task, warm_cycles: u64, memory_bytes: u64) -> Result<Watched, String> {
    let group = Cgroup::new("plan", memory_bytes)?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut worker = group
        .command(&own)
        .arg(NAME)
        .arg(serde_json::json!(task).to_string())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", own.display()))?;
    let lines = BufReader::new(worker.stdout.take().expect("it is piped")).lines();
    let (mut turns, mut cached, mut kernel) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let line = line.map_err(|error| error.to_string())?;
        let turn: Turn = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        if turn.cycle >= task.first_cycle + warm_cycles {
            turns.push(turn);
            cached.push(group.cached_bytes()? as f64);
            kernel.push(group.kernel_bytes()? as f64);
        }
    }
    let ended = worker.wait().map_err(|error| error.to_string())?;
    if !ended.success() || turns.is_empty() {
        return Err(format!("the worker ended with {ended} after {} counted cycles", turns.len()));
    }
    let mean = |figures: &[f64]| figures.iter().sum::<f64>() / figures.len() as f64;
    Ok(Watched { turns, cached_bytes: mean(&cached), kernel_bytes: mean(&kernel) })
}
