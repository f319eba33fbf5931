//! Files behind a journal: samples wait in memory, and each file is written once in
//! `write_seconds`.

use files::cache::Costs;

use crate::cycle::Work;
use crate::files::{Own, file_load};
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
    // If samples are rarer than write-backs, each sample is a write-back.
    let cadence = |group: &FleetGroup| write_seconds.max(group.cadence_seconds);
    let spread = |group: &FleetGroup| Rhythm {
        every_seconds: cadence(group),
        parts: (cadence(group) / group.cadence_seconds).clamp(1, PARTS_MAX),
    };
    let rhythms: Vec<Rhythm> = fleet.groups.iter().map(spread).collect();
    let costs = costs(fleet)?;
    let sum = |of: &dyn Fn(&FleetGroup, &Costs) -> f64| -> f64 {
        fleet.groups.iter().zip(&costs).map(|(group, costs)| of(group, costs)).sum()
    };
    let databases = |group: &FleetGroup| group.databases as f64;
    // The heap keeps the memory of a file's samples after their write-back.
    let waiting = |it: &FleetGroup| cadence(it) as f64 / it.cadence_seconds as f64;
    let of_file = |it: &FleetGroup, costs: &Costs| {
        databases(it) * (costs.known_bytes + waiting(it) * costs.waiting_bytes)
    };
    let process_bytes = PROCESS_BYTES + HEAP * sum(&of_file);
    let processor = &machine.processor;
    let journal_bytes = sum(&|it, costs| {
        it.updates_per_second() * costs.logged_bytes_per_update
            + databases(it) / cadence(it) as f64 * costs.logged_bytes_per_write_back
    });
    let own = Own {
        process_bytes,
        log_bytes: journal_bytes * write_seconds as f64,
        write_seconds: processor.write_back_seconds,
    };
    let load = file_load(fleet, &rhythms, machine, access, &own)?;
    let written = Written { journal_bytes, ..load.written };
    let mut works = load.works;
    for work in [&mut works.mean, &mut works.longest, &mut works.first] {
        work.add(&Work {
            processor: fleet.updates_per_second() * processor.journaled_update_seconds,
            writes: written.journal_bytes / machine.disk.sequential_bytes_per_second,
            ..Work::default()
        });
    }
    let cycle = works.cycle(fleet, machine);
    let log_bytes = written.journal_bytes * write_seconds as f64 * LOG_INTERVALS;
    let disk_bytes = load.disk_bytes + log_bytes as u64;
    Ok(Prediction {
        updates_per_second: fleet.updates_per_second(),
        loads: works.loads(&cycle, load.memory.needed_bytes(), disk_bytes, machine),
        memory: load.memory,
        disk_bytes,
        reads: load.reads,
        written,
        cycle,
        restart_seconds: log_bytes / processor.journal_bytes_per_second
            + settling_seconds(fleet, machine),
        pages_per_file: Some(load.pages_per_file),
        pace: None,
    })
}

/// Seconds until every file is reconciled with the log: one page of each is read.
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
