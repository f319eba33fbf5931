//! The ring store, calculated with the store's own arithmetic, [`Costs`].

use ring::{Costs, PAGE_BYTES, Pace};

use crate::cycle::{Work, Works};
use crate::{Fleet, FleetGroup, Machine, Memory, PlanError, Prediction, Reads, Written};

/// Bytes of a process with a store, apart from the bytes of each database: code, threads, and the
/// free pages of memory between used ones. 18 to 27 MB were measured with 100,000 databases, 20 MB
/// with 1,000,000.
const PROCESS_BYTES: f64 = 20e6;
/// Bytes on disk of an empty store: the first segments of the log, and the catalogue.
const EMPTY_DISK_BYTES: f64 = 0.5e6;
/// The most bytes of free segments of the log.
const SPARE_LOG_BYTES_MAX: f64 = 100e6;
/// The same for a shorter log, as a multiple of its size: 1 to 3.5 were measured.
const SPARE_LOG_SHARE: f64 = 2.0;
/// Updates that share one write of the log.
const BATCH_UPDATES: f64 = 1000.0;

/// The prediction.
pub(crate) fn predict(
    fleet: &Fleet,
    machine: &Machine,
    pace: Option<Pace>,
) -> Result<Prediction, PlanError> {
    let pace = match pace {
        Some(pace) => pace,
        None => pace_for(fleet, machine.memory_bytes)?,
    };
    let costs = costs(fleet, pace)?;
    let sum = |of: &dyn Fn(&FleetGroup, &Costs) -> f64| -> f64 {
        fleet.groups.iter().zip(&costs).map(|(group, costs)| of(group, costs)).sum()
    };
    let databases = |group: &FleetGroup| group.databases as f64;
    // Tiles and checkpoints depend on the steps of a layout, the log on the samples that arrive.
    let steps = |it: &FleetGroup| databases(it) / it.definition.step_seconds as f64;
    let updates_per_second = fleet.updates_per_second();
    let written = Written {
        data_bytes: sum(&|it, costs| steps(it) * costs.tile_bytes_per_update),
        checkpoint_bytes: sum(&|it, costs| steps(it) * costs.checkpoint_bytes_per_update),
        journal_bytes: sum(&|it, costs| it.updates_per_second() * costs.journal_bytes_per_update),
        metadata_bytes: 0.0,
    };
    let process_bytes = PROCESS_BYTES + sum(&|it, costs| databases(it) * costs.memory_bytes);
    let memory = Memory { process_bytes, ..Memory::default() };
    let log_bytes = sum(&|it, costs| costs.log_bytes(it.databases) * updates_a_step(it));
    let disk_bytes = EMPTY_DISK_BYTES
        + sum(&|it, costs| databases(it) * (costs.tiles_bytes + costs.checkpoints_bytes))
        + log_bytes
        + (SPARE_LOG_SHARE * log_bytes).min(SPARE_LOG_BYTES_MAX);
    let disk = &machine.disk;
    let work = Work {
        processor: updates_per_second * machine.processor.ring_update_seconds,
        waits: updates_per_second / BATCH_UPDATES * disk.synced_write_seconds,
        writes: written.data_bytes / PAGE_BYTES as f64 / disk.random_writes_per_second
            + (written.checkpoint_bytes + written.journal_bytes) / disk.sequential_bytes_per_second,
    };
    let works = Works { mean: work, longest: work, first: work };
    let cycle = works.cycle(fleet, machine);
    let rates = machine.ring_replay();
    Ok(Prediction {
        updates_per_second,
        loads: works.loads(&cycle, memory.needed_bytes(), disk_bytes as u64, machine),
        memory,
        disk_bytes: disk_bytes as u64,
        reads: Reads::default(),
        written,
        cycle,
        restart_seconds: sum(&|it, costs| costs.restart_seconds(it.databases, &rates)),
        pages_per_file: None,
        pace: Some(pace),
    })
}

fn updates_a_step(group: &FleetGroup) -> f64 {
    (group.definition.step_seconds as f64 / group.cadence_seconds as f64).max(1.0)
}

fn costs(fleet: &Fleet, pace: Pace) -> Result<Vec<Costs>, PlanError> {
    let of_group = |(nth, group): (usize, &FleetGroup)| {
        let sources = group.definition.sources.len();
        Costs::of(&group.definition, pace).ok_or(PlanError::TooWide { group: nth, sources })
    };
    fleet.groups.iter().enumerate().map(of_group).collect()
}

/// The pace for all groups within this memory: the largest tiles that fit, as
/// [`Costs::pace_for_memory`] chooses them for one layout; the smallest if none fit.
fn pace_for(fleet: &Fleet, memory_bytes: u64) -> Result<Pace, PlanError> {
    let largest = Pace::default();
    for tile_rows_max in (1..=largest.tile_rows_max).rev() {
        let pace = Pace { tile_rows_max, ..largest };
        let costs = costs(fleet, pace)?;
        let groups = fleet.groups.iter().zip(&costs);
        let bytes: f64 = groups.map(|(it, costs)| it.databases as f64 * costs.memory_bytes).sum();
        if PROCESS_BYTES + bytes <= memory_bytes as f64 {
            return Ok(pace);
        }
    }
    Ok(Pace { tile_rows_max: 1, ..largest })
}
