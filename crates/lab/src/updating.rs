//! Updates files by every way.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use files::{Access, Io, OpenFiles, RrdFile};
use rrd::{Reading, Sample, Timestamp};
use store::Locking;
use testbed::{ProcessCounters, first_thread_seconds};

use crate::files::Files;
use crate::ways::{Kept, Way};
use rrdtool::PipeClient;

/// 2023-11-14: before any update.
const NETWORK_BEGAN_SECONDS: u64 = 1_700_000_000;

/// The readings of all sources at one time.
pub(crate) struct Readings {
    time: Timestamp,
    texts: Vec<String>,
    pub(crate) argument: String,
}

impl Readings {
    /// The readings of all files with a common clock.
    pub(crate) fn at(files: &Files) -> Self {
        Self::now(files.layout.sources(), files.last_seconds)
    }

    /// The readings of one file, by its own clock.
    pub(crate) fn of(files: &Files, nth: u32) -> Self {
        Self::now(files.layout.sources(), files.last_seconds_of(nth))
    }

    /// The readings of this many sources.
    pub(crate) fn now(sources: usize, now: u64) -> Self {
        // Counters of constant traffic since the network began.
        let reading = |nth| ((now - NETWORK_BEGAN_SECONDS) * (nth as u64 + 1) * 1000).to_string();
        let texts: Vec<String> = (0..sources).map(reading).collect();
        let argument = format!("{now}:{}", texts.join(":"));
        Self { time: Timestamp::from_seconds(now as i64), texts, argument }
    }

    /// Passes them in the form that the store takes.
    pub(crate) fn with_sample<T>(&self, take: impl FnOnce(Sample<'_>) -> T) -> T {
        take(Sample { time: self.time, readings: &Reading::of_all(&self.texts) })
    }

    fn append(&self, file: &mut RrdFile) -> Result<(), store::Error> {
        self.with_sample(|sample| file.append(&sample))
    }
}

/// The implementation of a way.
pub(crate) enum Updater {
    /// Opens and closes a file for each update.
    Opening(Io),
    /// Keeps descriptors, and reads headers again.
    Descriptors(OpenFiles),
    /// Keeps the parsed headers: no other program writes the files.
    Metadata(Io, HashMap<PathBuf, RrdFile>),
    Rrdtool(PipeClient),
}

impl Updater {
    /// The updater for files of one directory.
    pub(crate) fn new(way: Way, files: &Files) -> Result<Self, String> {
        let Some(io) = way.io else {
            let client = PipeClient::start(Path::new("rrdtool"), &files.directory);
            return client.map(Self::Rrdtool).map_err(|error| error.to_string());
        };
        Ok(match way.kept {
            Kept::Nothing => Self::Opening(io),
            Kept::Descriptor => Self::Descriptors(OpenFiles::by(usize::MAX, io)),
            Kept::Metadata => Self::Metadata(io, HashMap::new()),
        })
    }

    /// Updates one file with all these readings.
    pub(crate) fn update(&mut self, path: &Path, readings: &[Readings]) -> Result<(), String> {
        let taken = match self {
            Self::Rrdtool(rrdtool) => {
                let arguments: Vec<&str> = readings.iter().map(|it| &*it.argument).collect();
                let name = path.file_name().unwrap_or_default();
                let updated = rrdtool.update(&name.to_string_lossy(), &arguments.join(" "));
                return updated.map_err(|error| error.to_string());
            }
            Self::Opening(io) => RrdFile::open_by(path, Access::Update, Locking::Try, *io)
                .and_then(|mut file| append_all(&mut file, readings).and_then(|()| file.commit())),
            Self::Descriptors(files) => {
                files.update(path, |file| append_all(file, readings)).flatten()
            }
            Self::Metadata(io, files) => kept(files, path, *io)
                .and_then(|file| append_all(file, readings).and_then(|()| file.commit())),
        };
        taken.map_err(|error| error.to_string())
    }

    /// The kernel's counters for it.
    pub(crate) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.process())
    }

    /// The processor time of its threads, with a resolution of nanoseconds.
    pub(crate) fn processor_seconds(&self) -> Result<f64, String> {
        threads_seconds(self.process())
    }

    fn process(&self) -> u32 {
        match self {
            Self::Rrdtool(rrdtool) => rrdtool.process(),
            _ => std::process::id(),
        }
    }
}

/// The processor seconds of all threads of a process.
fn threads_seconds(process: u32) -> Result<f64, String> {
    let directory = format!("/proc/{process}/task");
    let named = |error| format!("{directory}: {error}");
    let mut seconds = 0.0;
    for thread in std::fs::read_dir(&directory).map_err(named)? {
        let thread = thread.map_err(named)?.file_name();
        let number = thread.to_string_lossy().parse();
        let number = number.map_err(|_| format!("{directory}: {thread:?}"))?;
        // `first_thread_seconds` also accepts the number of another thread. The count of a thread
        // that has ended meanwhile is lost.
        seconds += first_thread_seconds(number).unwrap_or(0.0);
    }
    Ok(seconds)
}

fn append_all(file: &mut RrdFile, readings: &[Readings]) -> Result<(), store::Error> {
    readings.iter().try_for_each(|each| each.append(file))
}

/// An open file; it is opened if it is not open yet.
fn kept<'a>(
    files: &'a mut HashMap<PathBuf, RrdFile>,
    path: &Path,
    io: Io,
) -> Result<&'a mut RrdFile, store::Error> {
    if !files.contains_key(path) {
        files.insert(path.into(), RrdFile::open_by(path, Access::Update, Locking::None, io)?);
    }
    Ok(files.get_mut(path).expect("it is there by now"))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use testbed::first_thread_seconds;

    use super::threads_seconds;

    #[test]
    fn every_thread_counts() {
        let ((worked, has_worked), (end, ends)) = (mpsc::channel(), mpsc::channel::<()>());
        let worker = std::thread::spawn(move || {
            let sum = (0..50_000_000_u64).fold(0, |sum, each| std::hint::black_box(sum ^ each));
            worked.send(sum).unwrap();
            ends.recv() // it is counted while it exists
        });
        let sum = has_worked.recv().unwrap();
        let process = std::process::id();
        let (all, first) = (threads_seconds(process), first_thread_seconds(process));
        end.send(()).unwrap();
        worker.join().unwrap().unwrap();
        assert!(all.unwrap() > first.unwrap(), "{sum}");
    }
}
