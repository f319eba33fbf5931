//! The program that is measured: it updates files in the way that it is told.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rrd::{Sample, Timestamp};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use store::{Access, Io, Locking, OpenFiles, RrdFile};
use testbed::{ProcessCounters, end_with_parent, sync_file_system};

use crate::files::Files;
use crate::layouts::PAGE_BYTES;
use crate::rrdtool::Rrdtool;
use crate::task::{Cycle, Task, Told};
use crate::ways::{Kept, Way};

/// 2023-11-14: before any update.
const NETWORK_BEGAN_SECONDS: u64 = 1_700_000_000;

/// The words by which gyre is called for this, in front of the task.
pub(crate) const WORDS: [&str; 2] = ["lab", "--worker"];

/// Does a task, and tells of it on standard output.
///
/// # Errors
/// A task that is none, a file system that fails.
pub fn main(task: &str) -> Result<(), String> {
    end_with_parent()?;
    allow_open_files()?;
    let mut task: Task = serde_json::from_str(task).map_err(|error| error.to_string())?;
    let way = Way::named(&task.way);
    let mut updater = Updater::new(way.ok_or_else(|| format!("there is no way {:?}", task.way))?)?;
    for _ in 0..task.cycles {
        let cycle = cycle(&mut task.files, &mut updater)?;
        tell(&Told::Cycle(cycle))?;
    }
    if task.looks {
        let pages = |nth| task.files.resident(nth).map(|pages| pages.len() as u64);
        let resident = (0..task.files.count).map(pages).collect::<Result<_, _>>()?;
        tell(&Told::Resident(resident))?;
    }
    Ok(())
}

/// As many as the system's administrator lets this user have.
fn allow_open_files() -> Result<(), String> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|error| format!("open files: {error}"))
}

fn tell(told: &Told) -> Result<(), String> {
    println!("{}", serde_json::to_string(told).map_err(|error| error.to_string())?);
    Ok(())
}

/// Updates every file once, then waits until all of it is on disk.
fn cycle(files: &mut Files, updater: &mut Updater) -> Result<Cycle, String> {
    files.last_seconds += files.layout.step_seconds();
    let readings = Readings::at(files);
    let (before, begun) = (updater.counters()?, Instant::now());
    for nth in 0..files.count {
        updater.update(&files.path(nth), &readings)?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let spent = updater.counters()? - before;
    // A cycle stands for minutes, within which the kernel writes back what is dirty.
    sync_file_system(&files.directory)?;
    Ok(Cycle {
        synced_seconds: begun.elapsed().as_secs_f64(),
        at_seconds: files.last_seconds,
        pages_read: spent.read_bytes / PAGE_BYTES,
        pages_written: spent.written_bytes / PAGE_BYTES,
        seconds,
        processor_seconds: spent.user_seconds + spent.system_seconds,
    })
}

/// What all sources say at one time.
pub(crate) struct Readings {
    time: Timestamp,
    texts: Vec<String>,
    argument: String,
}

impl Readings {
    pub(crate) fn at(files: &Files) -> Self {
        let now = files.last_seconds;
        // Counters of so much traffic since the network began.
        let reading = |nth| ((now - NETWORK_BEGAN_SECONDS) * (nth as u64 + 1) * 1000).to_string();
        let texts: Vec<String> = (0..files.layout.sources()).map(reading).collect();
        let argument = format!("{now}:{}", texts.join(":"));
        Self { time: Timestamp::from_seconds(now as i64), texts, argument }
    }

    /// Does something with them as a sample.
    pub(crate) fn sample<T>(&self, work: impl FnOnce(&Sample<'_>) -> T) -> T {
        let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        work(&Sample { time: self.time, readings: &texts })
    }
}

/// Whoever does the updates.
pub(crate) enum Updater {
    /// Opens and closes a file each time.
    Opening(Io),
    /// Keeps descriptors, and reads headers anew.
    Descriptors(OpenFiles),
    /// Keeps all that it knows of a file: nobody else writes there.
    Metadata(Io, HashMap<PathBuf, RrdFile>),
    Rrdtool(Rrdtool),
}

impl Updater {
    pub(crate) fn new(way: Way) -> Result<Self, String> {
        let Some(io) = way.io else { return Rrdtool::start().map(Self::Rrdtool) };
        Ok(match way.kept {
            Kept::Nothing => Self::Opening(io),
            Kept::Descriptor => Self::Descriptors(OpenFiles::by(usize::MAX, io)),
            Kept::Metadata => Self::Metadata(io, HashMap::new()),
        })
    }

    /// Updates one file.
    pub(crate) fn update(&mut self, path: &Path, readings: &Readings) -> Result<(), String> {
        match self {
            Self::Opening(io) => opening(path, readings, *io).map_err(|error| error.to_string()),
            Self::Descriptors(files) => {
                let taken =
                    files.update(path, |file| readings.sample(|sample| file.append(sample)));
                taken.flatten().map_err(|error| error.to_string())
            }
            Self::Metadata(io, files) => {
                if !files.contains_key(path) {
                    let opened = RrdFile::open_by(path, Access::Update, Locking::None, *io);
                    files.insert(path.into(), opened.map_err(|error| error.to_string())?);
                }
                let file = files.get_mut(path).expect("it is there by now");
                let taken = readings.sample(|sample| file.append(sample));
                taken.and_then(|()| file.commit()).map_err(|error| error.to_string())
            }
            Self::Rrdtool(rrdtool) => rrdtool.update(path, &readings.argument),
        }
    }

    fn counters(&self) -> Result<ProcessCounters, String> {
        match self {
            Self::Rrdtool(rrdtool) => ProcessCounters::of(rrdtool.process()),
            _ => ProcessCounters::own(),
        }
    }
}

fn opening(path: &Path, readings: &Readings, io: Io) -> Result<(), store::Error> {
    let mut file = RrdFile::open_by(path, Access::Update, Locking::Try, io)?;
    readings.sample(|sample| file.append(sample))?;
    file.commit()
}
