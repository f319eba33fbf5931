//! Runs a worker under a limit of memory and reads the kernel's counters.

use testbed::{Cgroup, Interrupts, run_worker};

use super::worker::{NAME, Task, Turn};

/// The kernel's counters.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    /// The counted cycles.
    pub(super) turns: Vec<Turn>,
    /// The mean page cache of the group in these cycles, in bytes.
    pub(super) cached_bytes: f64,
    /// The mean kernel memory of the group in these cycles, in bytes.
    pub(super) kernel_bytes: f64,
}

/// Runs a worker with this limit of memory; the first cycles do not count.
pub(super) fn run(
    interrupts: &Interrupts,
    task: &Task,
    warm_cycles: u64,
    memory_bytes: u64,
) -> Result<Watched, String> {
    let group = Cgroup::new("plan", memory_bytes)?;
    let (mut turns, mut cached, mut kernel) = (Vec::new(), Vec::new(), Vec::new());
    run_worker(Some(&group), interrupts, &[NAME], task, |turn: Turn| {
        if turn.cycle >= task.first_cycle + warm_cycles {
            turns.push(turn);
            cached.push(group.cached_bytes()? as f64);
            kernel.push(group.kernel_bytes()? as f64);
        }
        Ok(())
    })?;
    if turns.is_empty() {
        return Err("the worker ended before the first cycle that counts".into());
    }
    let mean = |figures: &[f64]| figures.iter().sum::<f64>() / figures.len() as f64;
    Ok(Watched { turns, cached_bytes: mean(&cached), kernel_bytes: mean(&kernel) })
}
