//! Files behind a journal: samples wait in memory, and each file is written once in
//! `write_seconds`.

use files::cache::Costs;

use crate::cycle::{Work, Works};
use crate::files::{Own, file_load, room_beside};
use crate::room::NeededRoom;
use crate::simulated::Rhythm;
use crate::{Access, Fleet, FleetGroup, Machine, PlanError, Prediction, Written};

/// Bytes of a daemon without files: its code, threads and log buffers.
const PROCESS_BYTES: f64 = 9e6;
/// Bytes of heap for each requested byte: samples that are freed at a write-back leave gaps between
/// those of other files. Measured with 5,000 and with 100,000 files.
const HEAP: f64 = 1.25;
/// The length of the log in intervals: the base of each file and its samples stay until its next
/// write-back is durable.
const LOG_INTERVALS: f64 = 1.1;
/// The number of parts of the files with write-backs at different times.
const PARTS_MAX: u64 = 12;

/// The prediction.
pub(crate) fn predict(
    fleet: &Fleet,
    machine: &Machine,
    write_seconds: u64,
    access: Access,
) -> Result<Prediction, PlanError> {
    let spread = |group: &FleetGroup| Rhythm {
        every_seconds: cadence_seconds(group, write_seconds),
        parts: (cadence_seconds(group, write_seconds) / group.cadence_seconds).clamp(1, PARTS_MAX),
    };
    let rhythms: Vec<Rhythm> = fleet.groups.iter().map(spread).collect();
    let processor = &machine.processor;
    let process = Process::of(fleet, write_seconds)?;
    let own = Own {
        process_bytes: process.bytes,
        log_bytes: process.journal_bytes_per_second * write_seconds as f64,
        write_seconds: processor.write_back_seconds,
    };
    let load = file_load(fleet, &rhythms, machine, access, &own)?;
    let written = Written { journal_bytes: process.journal_bytes_per_second, ..load.written };
    let works = with_log(load.works, fleet, machine, written.journal_bytes);
    let cycle = works.cycle(fleet, machine);
    let log_bytes = process.log_bytes(write_seconds);
    let room = load.room.with_log(log_bytes);
    Ok(Prediction {
        updates_per_second: fleet.updates_per_second(),
        loads: works.loads(&cycle, room, machine),
        memory: load.memory,
        disk_bytes: room.disk_bytes,
        reads: load.reads,
        written,
        cycle,
        restart_seconds: log_bytes / processor.journal_bytes_per_second
            + settling_seconds(fleet, machine),
        pages_per_file: Some(load.pages_per_file),
        pace: None,
    })
}

/// The room that they need.
pub(crate) fn room(
    fleet: &Fleet,
    machine: &Machine,
    write_seconds: u64,
) -> Result<NeededRoom, PlanError> {
    let process = Process::of(fleet, write_seconds)?;
    let room = room_beside(fleet, machine, process.bytes)?;
    Ok(room.with_log(process.log_bytes(write_seconds)))
}

/// The work of files, and that for the log beside it.
fn with_log(mut works: Works, fleet: &Fleet, machine: &Machine, journal_bytes: f64) -> Works {
    for work in [&mut works.mean, &mut works.longest, &mut works.first] {
        work.add(&Work {
            processor: fleet.updates_per_second() * machine.processor.journaled_update_seconds,
            writes: journal_bytes / machine.disk.sequential_bytes_per_second,
            ..Work::default()
        });
    }
    works
}

/// How often a file is written. Where samples come more seldom, each is a write-back.
fn cadence_seconds(group: &FleetGroup, write_seconds: u64) -> u64 {
    write_seconds.max(group.cadence_seconds)
}

/// What the daemon takes for itself.
struct Process {
    /// Of memory.
    bytes: f64,
    /// Written to its log.
    journal_bytes_per_second: f64,
}

impl Process {
    fn of(fleet: &Fleet, write_seconds: u64) -> Result<Self, PlanError> {
        let costs = costs(fleet)?;
        let sum = |of: &dyn Fn(&FleetGroup, &Costs) -> f64| -> f64 {
            fleet.groups.iter().zip(&costs).map(|(group, costs)| of(group, costs)).sum()
        };
        let cadence = |group: &FleetGroup| cadence_seconds(group, write_seconds);
        let databases = |group: &FleetGroup| group.databases as f64;
        // The heap gives nothing back of the room that a file's samples had before their
        // write-back.
        let waiting = |it: &FleetGroup| cadence(it) as f64 / it.cadence_seconds as f64;
        let of_file = |it: &FleetGroup, costs: &Costs| {
            databases(it) * (costs.known_bytes + waiting(it) * costs.waiting_bytes)
        };
        let journal_bytes_per_second = sum(&|it, costs| {
            it.updates_per_second() * costs.logged_bytes_per_update
                + databases(it) / cadence(it) as f64 * costs.logged_bytes_per_write_back
        });
        Ok(Self { bytes: PROCESS_BYTES + HEAP * sum(&of_file), journal_bytes_per_second })
    }

    fn log_bytes(&self, write_seconds: u64) -> f64 {
        self.journal_bytes_per_second * write_seconds as f64 * LOG_INTERVALS
    }
}

/// Seconds until every file is brought together with the log: a page of each is read.
fn settling_seconds(fleet: &Fleet, machine: &Machine) -> f64 {
    let of_processor = machine.processor.settled_file_seconds / f64::from(machine.cores.max(1));
    fleet.databases() as f64 * (of_processor + 1.0 / machine.disk.random_reads_per_second)
}

fn costs(fleet: &Fleet) -> Result<Vec<Costs>, PlanError> {
    let groups = fleet.groups.iter().enumerate();
    let costs = groups
        .map(|(nth, group)| Costs::of(&group.definition).ok_or(PlanError::TooLarge { group: nth }));
    costs.collect()
}
