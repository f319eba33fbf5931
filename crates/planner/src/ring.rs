//! The ring store, calculated with the store's own arithmetic, [`Costs`].

use ring::{Costs, PAGE_BYTES, Pace};

use crate::cycle::{Work, Works};
use crate::room::NeededRoom;
use crate::{Fleet, FleetGroup, Machine, Memory, PlanError, Prediction, Reads, Written};

/// Bytes of a process with a store, apart from the bytes of each database: code, threads, buffers
/// of the log, the catalogue's cache.
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
    let store = Store { fleet, costs: costs(fleet, pace)? };
    let updates_per_second = fleet.updates_per_second();
    let written = store.written();
    let process_bytes =
        PROCESS_BYTES + store.sum(&|it, costs| it.databases as f64 * costs.memory_bytes);
    let memory = Memory { process_bytes, ..Memory::default() };
    let disk_bytes = store.disk_bytes();
    let work = work(updates_per_second, &written, machine);
    let works = Works { mean: work, longest: work, first: work };
    let cycle = works.cycle(fleet, machine);
    let room = NeededRoom { memory_bytes: memory.needed_bytes(), disk_bytes: disk_bytes as u64 };
    let rates = machine.ring_replay();
    Ok(Prediction {
        updates_per_second,
        loads: works.loads(&cycle, room, machine),
        memory,
        disk_bytes: disk_bytes as u64,
        reads: Reads::default(),
        written,
        cycle,
        restart_seconds: store.sum(&|it, costs| costs.restart_seconds(it.databases, &rates)),
        pages_per_file: None,
        pace: Some(pace),
    })
}

/// A store of a fleet's databases.
struct Store<'a> {
    fleet: &'a Fleet,
    /// Of each group.
    costs: Vec<Costs>,
}

impl Store<'_> {
    /// Of all groups.
    fn sum(&self, of: &dyn Fn(&FleetGroup, &Costs) -> f64) -> f64 {
        self.fleet.groups.iter().zip(&self.costs).map(|(group, costs)| of(group, costs)).sum()
    }

    /// What is written in a second.
    fn written(&self) -> Written {
        // Tiles and checkpoints go with the steps of a layout, the log with what is sent.
        let steps = |it: &FleetGroup| it.databases as f64 / it.definition.step_in_seconds();
        let journal = |it: &FleetGroup, costs: &Costs| {
            it.updates_per_second() * costs.journal_bytes_per_update
        };
        Written {
            data_bytes: self.sum(&|it, costs| steps(it) * costs.tile_bytes_per_update),
            checkpoint_bytes: self.sum(&|it, costs| steps(it) * costs.checkpoint_bytes_per_update),
            journal_bytes: self.sum(&journal),
            metadata_bytes: 0.0,
        }
    }

    fn disk_bytes(&self) -> f64 {
        let log_bytes = self.sum(&|it, costs| costs.log_bytes(it.databases) * updates_a_step(it));
        let of_databases = |it: &FleetGroup, costs: &Costs| {
            it.databases as f64 * (costs.tiles_bytes + costs.checkpoints_bytes)
        };
        EMPTY_DISK_BYTES
            + self.sum(&of_databases)
            + log_bytes
            + (SPARE_LOG_SHARE * log_bytes).min(SPARE_LOG_BYTES_MAX)
    }
}

/// The work of a second.
fn work(updates_per_second: f64, written: &Written, machine: &Machine) -> Work {
    let disk = &machine.disk;
    Work {
        processor: updates_per_second * machine.processor.ring_update_seconds,
        waits: updates_per_second / BATCH_UPDATES * disk.synced_write_seconds,
        writes: written.data_bytes / PAGE_BYTES as f64 / disk.random_writes_per_second
            + (written.checkpoint_bytes + written.journal_bytes) / disk.sequential_bytes_per_second,
    }
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
