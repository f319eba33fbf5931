//! A process that measures one figure: it reads one file with one pattern.

use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use disk::{Advice, File, Mode};
use pagecache::reader::{self, Reader};
use serde::{Deserialize, Serialize};
use testbed::{Device, ProcessCounters, Readahead};

use super::pattern::{Pattern, mixed};

/// The first argument of such a process.
pub(crate) const NAME: &str = "readahead-worker";

const PAGE_BYTES: u64 = 4096;
/// The number of threads for the pattern of eight readers.
const THREADS: usize = 8;
/// Bytes that a program takes from its buffer at a time.
const BUFFERED_BYTES: usize = 512;

/// The side that reads ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Side {
    Kernel,
    Gyre,
}

/// The task of the process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Spec {
    pub(super) path: PathBuf,
    pub(super) pattern: Pattern,
    pub(super) record_bytes: u64,
    pub(super) reads_max: u64,
    pub(super) hit_rate: u64,
    /// The readahead setting of the device while the file is opened.
    pub(super) readahead_kb: Option<u64>,
    pub(super) side: Side,
}

/// The measurements.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    /// Bytes read from the device.
    pub(super) read_bytes: u64,
    /// Bytes of the records.
    pub(super) wanted_bytes: u64,
    /// A hash of the records that does not depend on their order.
    pub(super) hash: u64,
    pub(super) ahead_calls: u64,
    pub(super) looks: u64,
    pub(super) losses: u64,
}

/// Makes a file in which each page begins with a number of its own.
pub(super) fn create(path: &Path, bytes: u64) -> Result<(), String> {
    let text = |error: io::Error| format!("{}: {error}", path.display());
    let file = File::create(path).map_err(text)?;
    let mut chunk = vec![0; 1 << 20];
    for start in (0..bytes).step_by(chunk.len()) {
        for (page, words) in (start / PAGE_BYTES..).zip(chunk.chunks_mut(PAGE_BYTES as usize)) {
            for (nth, word) in words.chunks_mut(8).enumerate() {
                word.copy_from_slice(&mixed(page << 9 | nth as u64).to_le_bytes());
            }
        }
        file.write_at(&chunk, start).map_err(text)?;
    }
    file.sync_all().map_err(text)
}

/// Executes the task and prints the measurements.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let spec = words.first().ok_or("a worker of the benchmark is told what to read")?;
    let spec: Spec = serde_json::from_str(spec).map_err(|error| error.to_string())?;
    let told = measured(&spec)?;
    println!("{}", serde_json::to_string(&told).map_err(|error| error.to_string())?);
    Ok(())
}

/// The device keeps its setting until the end, because an advice reads the setting again.
fn measured(spec: &Spec) -> Result<Told, String> {
    let Some(kilobytes) = spec.readahead_kb else { return measured_as_it_is(spec) };
    let directory = spec.path.parent().unwrap_or(Path::new("."));
    let _restored = Readahead::set(&Device::of(directory)?, kilobytes)?;
    measured_as_it_is(spec)
}

fn measured_as_it_is(spec: &Spec) -> Result<Told, String> {
    let text = |error: io::Error| format!("{}: {error}", spec.path.display());
    let bytes = std::fs::metadata(&spec.path).map_err(text)?.len();
    let records = spec.pattern.records(bytes / spec.record_bytes, spec.reads_max);
    make_cold(&spec.path).map_err(text)?;
    let reading = Reading::of(spec).map_err(text)?;
    if spec.pattern == Pattern::ReRead {
        reading.all(spec, &records).map_err(text)?;
    }
    let (before, start) = (ProcessCounters::own()?, Instant::now());
    let (wanted_bytes, hash) = reading.all(spec, &records).map_err(text)?;
    let (seconds, spent) = (start.elapsed().as_secs_f64(), ProcessCounters::own()? - before);
    let counters = reading.counters();
    Ok(Told {
        seconds,
        cpu_seconds: spent.user_seconds + spent.system_seconds,
        read_bytes: spent.read_bytes,
        wanted_bytes,
        hash,
        ahead_calls: counters.ahead_calls,
        looks: counters.looks,
        losses: counters.losses,
    })
}

/// Evicts the file from memory.
fn make_cold(path: &Path) -> io::Result<()> {
    let file = File::open(path, Mode::Read)?;
    file.sync_all()?;
    for _ in 0..10 {
        file.advise(Advice::DontNeed, 0, 0)?;
        let bytes = file.len_bytes()? as usize;
        let mut pages = Vec::new();
        disk::Mapping::of(&file, 0, bytes)?.residency(&mut pages)?;
        if pages.iter().all(|page| page & 1 == 0) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Err(io::Error::other("pages of it stay in memory"))
}

enum Reading {
    Kernel(File),
    Gyre(Box<Reader<File>>),
}

impl Reading {
    fn of(spec: &Spec) -> io::Result<Self> {
        let file = File::open(&spec.path, Mode::Read)?;
        if spec.side == Side::Kernel {
            return Ok(Self::Kernel(file));
        }
        let options =
            reader::Options { readahead_hit_rate: spec.hit_rate, ..reader::Options::default() };
        Ok(Self::Gyre(Box::new(Reader::new(file, options)?)))
    }

    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        match self {
            Self::Kernel(file) => file.read_at(buffer, offset_bytes),
            Self::Gyre(reader) => reader.read_at(buffer, offset_bytes),
        }
    }

    fn counters(&self) -> reader::Counters {
        match self {
            Self::Kernel(_) => reader::Counters::default(),
            Self::Gyre(reader) => reader.counters(),
        }
    }

    /// Reads all records; returns their bytes and hash.
    fn all(&self, spec: &Spec, records: &[u64]) -> io::Result<(u64, u64)> {
        match spec.pattern {
            Pattern::Buffered => self.buffered(spec.record_bytes as usize),
            Pattern::EightReaders => self.by_threads(spec.record_bytes, records),
            _ => self.in_turn(spec.record_bytes, records.iter().copied()),
        }
    }

    fn in_turn(
        &self,
        record_bytes: u64,
        records: impl Iterator<Item = u64>,
    ) -> io::Result<(u64, u64)> {
        let (mut bytes, mut hash) = (0, 0_u64);
        let mut buffer = vec![0; record_bytes as usize];
        for record in records {
            let read = self.read_at(&mut buffer, record * record_bytes)?;
            bytes += read as u64;
            hash = hash.wrapping_add(sum(&buffer[..read]));
        }
        Ok((bytes, hash))
    }

    fn by_threads(&self, record_bytes: u64, records: &[u64]) -> io::Result<(u64, u64)> {
        let (next, bytes, hash) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let take = || records.get(next.fetch_add(1, Ordering::Relaxed)).copied();
        let work = || {
            let (read, sum) = self.in_turn(record_bytes, std::iter::from_fn(take))?;
            bytes.fetch_add(read, Ordering::Relaxed);
            hash.fetch_add(sum, Ordering::Relaxed);
            io::Result::Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a reader panicked"))
        })?;
        Ok((bytes.into_inner(), hash.into_inner()))
    }

    fn buffered(&self, buffer_bytes: usize) -> io::Result<(u64, u64)> {
        let mut stream =
            BufReader::with_capacity(buffer_bytes, From { reading: self, offset_bytes: 0 });
        let (mut bytes, mut hash, mut piece) = (0, 0_u64, [0; BUFFERED_BYTES]);
        loop {
            let read = stream.read(&mut piece)?;
            if read == 0 {
                return Ok((bytes, hash));
            }
            if (bytes / BUFFERED_BYTES as u64).is_multiple_of(PAGE_BYTES / BUFFERED_BYTES as u64) {
                hash = hash.wrapping_add(sum(&piece[..read]));
            }
            bytes += read as u64;
        }
    }
}

/// The sum of the first word of each page: enough to distinguish pages, and cheap compared with a
/// read.
fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(PAGE_BYTES as usize).filter_map(|page| page.first_chunk());
    words.fold(0, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)))
}

struct From<'r> {
    reading: &'r Reading,
    offset_bytes: u64,
}

impl io::Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reading.read_at(buffer, self.offset_bytes)?;
        self.offset_bytes += read as u64;
        Ok(read)
    }
}
