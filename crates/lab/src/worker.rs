//! The measured program: updates files according to its task.

use std::time::Instant;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::Serialize;
use testbed::{end_with_parent, sync_file_system};

use crate::crowd;
use crate::cycle::Cycle;
use crate::files::{Clocks, Files};
use crate::growing::grow;
use crate::journal::Journal;
use crate::layouts::PAGE_BYTES;
use crate::task::{Task, Told, Work};
use crate::updating::{Readings, Updater};
use crate::ways::Way;

/// The first argument of a worker, before its task.
pub const WORD: &str = "--worker";

/// Executes a task and reports on standard output.
///
/// # Errors
///
/// The task is not valid, or the file system fails.
pub fn main(task: &str) -> Result<(), String> {
    end_with_parent()?;
    allow_open_files()?;
    match serde_json::from_str(task).map_err(|error| error.to_string())? {
        Work::Updates(task) => update(task),
        Work::Growth(growth) => grow(&growth, tell),
    }
}

fn update(mut task: Task) -> Result<(), String> {
    let way = Way::named(&task.way);
    let way = way.ok_or_else(|| format!("there is no way {:?}", task.way))?;
    let mut updater = Updater::new(way, &task.files)?;
    let mut journal = Journal::new(task.journal_cycles);
    for _ in 0..task.cycles {
        let cycle = cycle(&mut task, way, &mut updater, &mut journal)?;
        tell(&Told::Cycle(cycle))?;
    }
    if task.looks {
        let pages = |nth| task.files.resident(nth).map(|pages| pages.len() as u64);
        let resident = (0..task.files.count).map(pages).collect::<Result<_, _>>()?;
        tell(&Told::Resident(resident))?;
    }
    Ok(())
}

/// Raises the limit of open files as far as permitted.
fn allow_open_files() -> Result<(), String> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|error| format!("open files: {error}"))
}

fn tell(told: &impl Serialize) -> Result<(), String> {
    println!("{}", serde_json::to_string(told).map_err(|error| error.to_string())?);
    Ok(())
}

/// Updates every file once, then waits until all of it is on disk.
fn cycle(
    task: &mut Task,
    way: Way,
    updater: &mut Updater,
    journal: &mut Journal,
) -> Result<Cycle, String> {
    let Task { files, evicts_each, beside, updaters, .. } = task;
    files.last_seconds += files.layout.step_seconds();
    let readings = Readings::at(files);
    let (before, running_before) = (updater.counters()?, updater.processor_seconds()?);
    let begun = Instant::now();
    if let Some(due) = journal.take(files, readings) {
        match *updaters {
            0 => update_all(files, *evicts_each, updater, &due)?,
            updaters => crowd::update(files, way, updaters, &due)?,
        }
    }
    let pages_read_beside = match beside.as_mut().filter(|it| it.is_due(files.last_seconds)) {
        Some(beside) => update_beside(beside, updater)?,
        None => 0,
    };
    let seconds = begun.elapsed().as_secs_f64();
    let processor_seconds = updater.processor_seconds()? - running_before;
    let spent = updater.counters()? - before;
    // A cycle represents minutes, within which the kernel writes dirty pages back.
    sync_file_system(&files.directory)?;
    Ok(Cycle {
        synced_seconds: begun.elapsed().as_secs_f64(),
        at_seconds: files.last_seconds,
        pages_read: spent.read_bytes / PAGE_BYTES,
        pages_written: spent.written_bytes / PAGE_BYTES,
        pages_read_beside,
        minor_faults: spent.minor_faults,
        seconds,
        processor_seconds,
    })
}

fn update_all(
    files: &Files,
    evicts_each: bool,
    updater: &mut Updater,
    due: &[Readings],
) -> Result<(), String> {
    (0..files.count).try_for_each(|nth| match (evicts_each, files.clocks) {
        (true, _) => evicted_update(files, nth, updater, due),
        (false, Clocks::Together) => updater.update(&files.path(nth), due),
        (false, Clocks::Spread) => updater.update(&files.path(nth), &[Readings::of(files, nth)]),
    })
}

/// Updates the files of the longer step; returns the pages that were read for them.
fn update_beside(files: &mut Files, updater: &mut Updater) -> Result<u64, String> {
    let before = updater.counters()?;
    files.last_seconds += files.layout.step_seconds();
    update_all(files, false, updater, &[Readings::at(files)])?;
    let spent = updater.counters()? - before;
    Ok(spent.read_bytes / PAGE_BYTES)
}

/// Evicts and updates a file, and reports its pages in memory afterwards.
fn evicted_update(
    files: &Files,
    nth: u32,
    updater: &mut Updater,
    due: &[Readings],
) -> Result<(), String> {
    files.evict_one(nth)?;
    updater.update(&files.path(nth), due)?;
    tell(&Told::Brought(files.came(nth)?))
}
