//! Files in place, files behind a journal, the ring store.

use planner::{Access, Fleet, Way, predict};
use ring::Pace;

use super::worker::{Keeping, Task, Turn};
use super::{Bench, Compared, Seen, day, watched};
use crate::workload::{STEP_SECONDS, Workload, around_midnight};

/// Bytes of the group in addition to page cache: for each file, and for the process.
const FILE_BYTES: u64 = 2600;
const PROCESS_BYTES: u64 = 16 << 20;

/// Files in place, with advice.
pub(super) fn files(bench: &Bench<'_>, pages: u64) -> Result<Compared, String> {
    let memory_bytes = bench.options.rrds * (pages * 4096 + FILE_BYTES) + PROCESS_BYTES;
    let name = format!("files in place, {pages} pages each");
    of_files(bench, name, Keeping::Files, memory_bytes)
}

/// Files behind a journal.
pub(super) fn journal(bench: &Bench<'_>, pages: u64) -> Result<Compared, String> {
    /// The daemon's own memory for each file.
    const WAITING_BYTES: u64 = 1000;
    let each = pages * 4096 + FILE_BYTES + WAITING_BYTES;
    let memory_bytes = bench.options.rrds * each + PROCESS_BYTES;
    let keeping = Keeping::Journal { write_cycles: bench.options.write_cycles };
    of_files(bench, format!("files behind a journal, {pages} pages each"), keeping, memory_bytes)
}

fn of_files(
    bench: &Bench<'_>,
    name: String,
    keeping: Keeping,
    memory_bytes: u64,
) -> Result<Compared, String> {
    let (way, span_cycles) = match keeping {
        Keeping::Journal { write_cycles } => {
            let write_seconds = write_cycles * STEP_SECONDS as u64;
            (Way::Journal { write_seconds, access: Access::DAEMON }, write_cycles)
        }
        _ => (Way::FILES, 1),
    };
    let (warm_cycles, cycles) = (bench.options.warm_cycles, bench.options.cycles);
    let task = bench.task(keeping, warm_cycles, cycles);
    let watched = watched::run(&bench.interrupts, &task, warm_cycles, memory_bytes);
    bench.clear(&task);
    let watched = watched?;
    let rrds = bench.options.rrds as f64;
    let mean = |of: &dyn Fn(&Turn) -> f64| day::mean(&watched.turns, span_cycles, of);
    Ok(Compared {
        name,
        predicted: predict(&fleet(bench)?, &bench.machine(memory_bytes), way)
            .map_err(|error| error.to_string())?,
        seen: Seen {
            written_bytes: mean(&|turn| turn.written_bytes as f64) / rrds,
            page_ins: mean(&|turn| turn.page_ins as f64) / rrds,
            cached_bytes: watched.cached_bytes,
            process_bytes: mean(&|turn| turn.anonymous_bytes as f64),
            kernel_bytes: watched.kernel_bytes,
            cycle_seconds: mean(&|turn| turn.seconds),
        },
        has_files: true,
    })
}

/// The ring store.
pub(super) fn ring(bench: &Bench<'_>, bytes: u64) -> Result<Compared, String> {
    let memory_bytes = bench.options.rrds * bytes + PROCESS_BYTES;
    let machine = bench.machine(memory_bytes);
    let predicted =
        predict(&fleet(bench)?, &machine, Way::RING).map_err(|error| error.to_string())?;
    let Pace { flush_cycles, tile_rows_max } = predicted.pace.unwrap_or_default();
    let keeping = Keeping::Ring { flush_cycles, tile_rows_max };
    // Whole rounds of flushes, after the log has all its segments.
    let warm_cycles = bench.options.warm_cycles.max(4 * u64::from(flush_cycles));
    let cycles = bench.options.cycles.next_multiple_of(flush_cycles.into());
    let task = bench.task(keeping, warm_cycles, cycles);
    // Extra memory, because the page cache of pages being written is not a need of the store.
    let watched = watched::run(&bench.interrupts, &task, warm_cycles, memory_bytes + (256 << 20));
    bench.clear(&task);
    let watched = watched?;
    let turns = &watched.turns;
    let mean = |of: &dyn Fn(&Turn) -> f64| turns.iter().map(of).sum::<f64>() / turns.len() as f64;
    let rrds = bench.options.rrds as f64;
    Ok(Compared {
        name: format!("ring store, C {flush_cycles}, K {tile_rows_max}"),
        predicted,
        seen: Seen {
            written_bytes: mean(&|turn| turn.written_bytes as f64) / rrds,
            page_ins: mean(&|turn| turn.page_ins as f64) / rrds,
            cached_bytes: watched.cached_bytes,
            process_bytes: mean(&|turn| turn.anonymous_bytes as f64),
            kernel_bytes: watched.kernel_bytes,
            cycle_seconds: mean(&|turn| turn.seconds),
        },
        has_files: false,
    })
}

impl Bench<'_> {
    fn task(&self, keeping: Keeping, warm_cycles: u64, cycles: u64) -> Task {
        Task {
            keeping,
            directory: self.directory.into(),
            rrds: self.options.rrds,
            first_cycle: around_midnight(cycles) - warm_cycles,
            cycles: warm_cycles + cycles,
        }
    }

    /// Frees the space before the next store.
    fn clear(&self, task: &Task) {
        for name in ["rrds", "journal"] {
            let _ = std::fs::remove_dir_all(task.directory.join(name)); // it may never have been made
        }
    }
}

/// The databases of the workload, a group for each definition.
fn fleet(bench: &Bench<'_>) -> Result<Fleet, String> {
    let workload = Workload::mrtg(bench.options.rrds);
    let mut fleet = Fleet::default();
    for rrd in 0..workload.rrds {
        let definition = workload.definition(rrd)?;
        match fleet.groups.iter_mut().find(|group| group.definition == definition) {
            Some(group) => group.databases += 1,
            None => fleet.groups.extend(Fleet::of(definition, 1).groups),
        }
    }
    Ok(fleet)
}
