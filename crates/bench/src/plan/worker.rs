//! The measured program: keeps databases in one way, runs cycles, and prints the kernel's counters
//! of each as a line of JSON.
//!
//! It makes the databases itself, inside its control group, so that the kernel's memory for them is
//! counted there. A cycle ends when everything that it wrote is on the device: it represents
//! minutes, within which the kernel writes dirty pages back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use files::cache::Journaling;
use files::{CacheOptions, FileCache, RrdFiles};
use ring::Pace;
use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use serde::{Deserialize, Serialize};
use store::Update;
use store::{Making, NewDatabase, Store};
use testbed::{Device, ProcessCounters, end_with_parent, sync_file_system};

use crate::store::Batch;
use crate::workload::{THREADS, Workload, cycle_seconds};

/// The first argument of such a process.
pub(crate) const NAME: &str = "plan-worker";

/// Databases that are made, and updates that are sent, in one call.
const AT_ONCE: usize = 1000;

/// How databases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Keeping {
    /// Files that each update writes at once.
    Files,
    /// Files behind a journal, each written once in this many cycles.
    Journal { write_cycles: u64 },
    /// The ring store.
    Ring { flush_cycles: u32, tile_rows_max: u32 },
}

/// The task of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) keeping: Keeping,
    pub(super) directory: PathBuf,
    pub(super) rrds: u64,
    pub(super) first_cycle: u64,
    pub(super) cycles: u64,
}

/// The kernel's counters of a cycle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Turn {
    pub(super) cycle: u64,
    pub(super) seconds: f64,
    /// Pages read from the device for this process.
    pub(super) page_ins: u64,
    /// Bytes that the device wrote, for all processes.
    pub(super) written_bytes: u64,
    /// Anonymous memory of the process at the end of the cycle, in bytes.
    pub(super) anonymous_bytes: u64,
}

/// Executes the task in its only argument.
///
/// # Errors
///
/// The task is not valid, or the file system fails.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    end_with_parent()?;
    let [task] = words else { return Err(format!("{NAME}: expected a task")) };
    let task: Task = serde_json::from_str(task).map_err(|error| error.to_string())?;
    let device = Device::of(&task.directory)?;
    let subject = Subject::make(&task)?;
    let (mut before, mut device_before) = (ProcessCounters::own()?, device.synced_counters()?);
    for cycle in task.first_cycle..task.first_cycle + task.cycles {
        let begun = std::time::Instant::now();
        subject.cycle(&task, cycle)?;
        let (device_now, now) = (device.synced_counters()?, ProcessCounters::own()?);
        let turn = Turn {
            cycle,
            seconds: begun.elapsed().as_secs_f64(),
            page_ins: (now - before).read_bytes / 4096,
            written_bytes: (device_now - device_before).written_bytes,
            anonymous_bytes: now.anonymous_bytes,
        };
        println!("{}", serde_json::json!(turn));
        (before, device_before) = (now, device_now);
    }
    Ok(())
}

/// A store of one kind.
enum Subject {
    Files(RrdFiles),
    Journal(FileCache, u64),
    Ring(RingStore),
}

impl Subject {
    /// Makes all databases, and waits until they are on disk.
    fn make(task: &Task) -> Result<Self, String> {
        let rrds = task.directory.join("rrds");
        std::fs::create_dir(&rrds).map_err(|error| format!("{}: {error}", rrds.display()))?;
        let ring = |pace| {
            let options = RingOptions { pace, ..RingOptions::default() };
            RingStore::open_or_create(&rrds, options).map_err(|error| error.to_string())
        };
        let subject = match task.keeping {
            Keeping::Files => Self::Files(RrdFiles::below(&rrds)),
            Keeping::Ring { flush_cycles, tile_rows_max } => {
                Self::Ring(ring(Pace { flush_cycles, tile_rows_max })?)
            }
            Keeping::Journal { write_cycles } => {
                let options = journal_options(&task.directory.join("journal"));
                let cache = FileCache::open(options).map_err(|error| error.to_string())?;
                Self::Journal(cache, write_cycles)
            }
        };
        match &subject {
            Self::Files(store) => create(task, store)?,
            Self::Ring(store) => create(task, store)?,
            Self::Journal(..) => create(task, &RrdFiles::below(&rrds))?,
        }
        sync_file_system(&task.directory)?;
        if !matches!(task.keeping, Keeping::Ring { .. }) {
            drop_cached(task)?;
        }
        Ok(subject)
    }

    fn cycle(&self, task: &Task, cycle: u64) -> Result<(), String> {
        let workload = task.workload();
        match self {
            Self::Files(store) => on_threads(|thread| send(store, &workload, thread, cycle)),
            Self::Ring(store) => {
                on_threads(|thread| send(store, &workload, thread, cycle))?;
                // Within the minutes that a cycle represents, every group that is due is flushed.
                store.engine().work().map(drop).map_err(|error| error.to_string())
            }
            Self::Journal(cache, write_cycles) => {
                on_threads(|thread| append(cache, task, thread, cycle))?;
                on_threads(|thread| write_back(cache, task, thread, (cycle, *write_cycles)))?;
                cache.sync().map_err(|error| error.to_string())
            }
        }
    }
}

impl Task {
    fn workload(&self) -> Workload {
        Workload::mrtg(self.rrds)
    }

    fn path(&self, rrd: u64) -> PathBuf {
        self.directory.join("rrds").join(self.workload().name(rrd))
    }
}

/// Nothing is written because of time: the time here is in cycles.
fn journal_options(directory: &Path) -> CacheOptions {
    const NEVER: Duration = Duration::from_secs(1_000_000);
    CacheOptions {
        journal: Some(Journaling {
            directory: directory.into(),
            sync_every: Some(Duration::from_secs(1)),
        }),
        write_after: NEVER,
        forget_after: NEVER,
        look_every: NEVER,
        ..CacheOptions::default()
    }
}

fn create(task: &Task, store: &dyn Store) -> Result<(), String> {
    let workload = task.workload();
    let start = Timestamp::from_seconds(cycle_seconds(task.first_cycle - 1));
    let rrds: Vec<u64> = (0..task.rrds).collect();
    for some in rrds.chunks(AT_ONCE) {
        let made = some.iter().map(|rrd| Ok((workload.name(*rrd), workload.definition(*rrd)?)));
        let made: Vec<_> = made.collect::<Result<_, String>>()?;
        let new = made.iter().map(|(name, definition)| {
            Making::new(NewDatabase { name: name.as_ref(), definition, start })
        });
        if let Some((_, error)) = store.make(&new.collect::<Vec<_>>(), &|| true).first() {
            return Err(error.to_string());
        }
    }
    Ok(())
}

/// Evicts the files' pages from the page cache; they are on disk.
fn drop_cached(task: &Task) -> Result<(), String> {
    for path in (0..task.rrds).map(|rrd| task.path(rrd)) {
        disk::File::open(&path, disk::Mode::Read)
            .and_then(|file| file.advise(disk::Advice::DontNeed, 0, 0))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Sends a thread's part of a cycle to a store.
fn send(store: &dyn Store, workload: &Workload, thread: u64, cycle: u64) -> Result<(), String> {
    let rrds: Vec<u64> = workload.deliveries(thread).collect();
    let mut batch = Batch::default();
    for some in rrds.chunks(AT_ONCE) {
        batch.clear();
        some.iter().for_each(|rrd| batch.push(workload, *rrd, cycle..cycle + 1));
        batch.append_to(store)?;
    }
    Ok(())
}

/// The same for files behind a journal.
fn append(cache: &FileCache, task: &Task, thread: u64, cycle: u64) -> Result<(), String> {
    let workload = task.workload();
    let rrds: Vec<u64> = workload.deliveries(thread).collect();
    for some in rrds.chunks(AT_ONCE) {
        let said = some.iter().map(|rrd| {
            let mut text = String::new();
            workload.push_update(*rrd, cycle, &mut text);
            (task.path(*rrd), text)
        });
        let said: Vec<(PathBuf, String)> = said.collect();
        let values: Vec<[&str; 1]> =
            said.iter().map(|(_, text)| [text.rsplit(' ').next().unwrap_or_default()]).collect();
        let updates: Vec<Update<'_>> = said
            .iter()
            .zip(&values)
            .map(|((path, _), values)| Update::numbered(path, values))
            .collect();
        if let Some((nth, failure)) = cache.append(&updates).first() {
            return Err(format!("{}: {}", said[*nth].0.display(), failure.error));
        }
    }
    Ok(())
}

/// Writes a thread's part of the files that are due in this cycle, in the order on disk.
fn write_back(
    cache: &FileCache,
    task: &Task,
    thread: u64,
    (cycle, write_cycles): (u64, u64),
) -> Result<(), String> {
    let place = |turn: u64| task.rrds * turn / (write_cycles * THREADS);
    let turn = cycle % write_cycles * THREADS + thread;
    for rrd in place(turn)..place(turn + 1) {
        cache.flush(&task.path(rrd)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn on_threads(part: impl Fn(u64) -> Result<(), String> + Sync) -> Result<(), String> {
    std::thread::scope(|scope| {
        let part = &part;
        let running: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || part(thread))).collect();
        running.into_iter().try_for_each(|it| it.join().map_err(|_| "a thread panicked")?)
    })
}
