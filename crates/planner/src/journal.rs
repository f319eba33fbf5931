//! Files behind a journal: samples wait in memory, and each file is written once in so many seconds.

use crate::cycle::Work;
use crate::files::file_load;
use crate::{Access, Fleet, FleetGroup, Machine, PlanError, Prediction};

/// Bytes of memory that a file takes while it is known: name, sources, its place in the agenda.
const KNOWN_FILE_BYTES: f64 = 900.0;
/// Bytes of a sample that waits, as text, without its readings.
const WAITING_SAMPLE_BYTES: f64 = 16.0;
/// Bytes of a reading as text: a counter of ten digits, and a colon.
const READING_BYTES: f64 = 11.0;
/// Bytes of an update in the log without its readings, and of each reading.
const LOGGED_UPDATE_BYTES: f64 = 14.0;
const LOGGED_READING_BYTES: f64 = 5.0;
/// Bytes of what a file held, logged before the first sample behind a write-back.
const LOGGED_BASE_BYTES: f64 = 250.0;
const PROCESS_BYTES: f64 = 16e6;

/// What is predicted.
pub(crate) fn predict(
    fleet: &Fleet,
    machine: &Machine,
    write_seconds: u64,
    access: Access,
) -> Result<Prediction, PlanError> {
    let cadences: Vec<u64> =
        fleet.groups.iter().map(|group| write_seconds.max(group.cadence_seconds)).collect();
    let samples = |group: &FleetGroup| {
        (write_seconds as f64 / group.cadence_seconds as f64).max(1.0) * group.databases as f64
    };
    let sum = |of: &dyn Fn(&FleetGroup) -> f64| fleet.groups.iter().map(of).sum::<f64>();
    let readings = |group: &FleetGroup| group.definition.sources.len() as f64;
    // Files are written one after the other through the interval, so half of it waits on average;
    // memory that was taken for the other half is not given back at once.
    let waiting_bytes =
        sum(&|it| samples(it) * (WAITING_SAMPLE_BYTES + readings(it) * READING_BYTES));
    let files = fleet.databases() as f64;
    let process_bytes = PROCESS_BYTES + files * KNOWN_FILE_BYTES + waiting_bytes;
    let processor = &machine.processor;
    let write_back_seconds = processor.write_back_seconds;
    let load = file_load(fleet, &cadences, machine, access, process_bytes, write_back_seconds)?;
    let updates_per_second = fleet.updates_per_second();
    let write_backs_per_second: f64 = fleet
        .groups
        .iter()
        .zip(&cadences)
        .map(|(it, cadence)| it.databases as f64 / *cadence as f64)
        .sum();
    let mut written = load.written;
    written.journal_bytes = sum(&|it| {
        it.updates_per_second() * (LOGGED_UPDATE_BYTES + readings(it) * LOGGED_READING_BYTES)
    }) + write_backs_per_second * LOGGED_BASE_BYTES;
    let taking = Work {
        processor: updates_per_second * processor.journaled_update_seconds,
        waits: 0.0,
        writes: written.journal_bytes / machine.disk.sequential_bytes_per_second,
    };
    let mut works = load.works;
    for work in [&mut works.mean, &mut works.longest, &mut works.first] {
        work.processor += taking.processor;
        work.writes += taking.writes;
    }
    let cycle = works.cycle(fleet, machine);
    let log_bytes = written.journal_bytes * write_seconds as f64;
    let disk_bytes = load.disk_bytes + (2.0 * log_bytes) as u64;
    let reads = files / machine.disk.random_reads_per_second;
    let settling = files * processor.settled_file_seconds / f64::from(machine.cores.max(1));
    Ok(Prediction {
        updates_per_second,
        loads: works.loads(&cycle, load.memory.needed_bytes(), disk_bytes, machine),
        memory: load.memory,
        disk_bytes,
        reads: load.reads,
        written,
        cycle,
        restart_seconds: log_bytes / processor.journal_bytes_per_second + reads + settling,
        pages_per_file: Some(load.pages_per_file),
        pace: None,
    })
}
