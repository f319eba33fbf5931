//! A quick measurement of a disk: bounded in bytes and time; its file is removed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use disk::{Advice, File};

use crate::unseen::{Seen, Unseen};

/// Bytes of the file.
const FILE_BYTES: u64 = 64 << 20;
/// Bytes of a sequential write or read.
const CHUNK_BYTES: usize = 1 << 20;
const PAGE_BYTES: u64 = 4096;
/// The most syncs and cold reads.
const ROUNDS: u64 = 200;
/// Pages that are written at random offsets before one sync.
const WRITTEN_BACK: u64 = 4096;
/// The time limit of each part.
const PART: Duration = Duration::from_secs(2);

/// The speed of a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The median of the seconds for writing a page with `fdatasync`.
    pub sync_seconds: f64,
    /// The median of the seconds for reading an uncached page at a random offset.
    pub cold_read_seconds: f64,
    /// Bytes a second of sequential writes, including the sync at the end.
    pub write_bytes_per_second: f64,
    /// Bytes a second of sequential reads.
    pub read_bytes_per_second: f64,
    /// Pages a second written at random offsets, many before one sync, including that sync.
    pub random_writes_per_second: f64,
}

impl Measured {
    /// Measures with a file of 64 MiB in a directory, for at most 10 s plus any single call that
    /// takes longer.
    ///
    /// # Errors
    ///
    /// There is no space for the file, or it may not be made there.
    pub fn take(directory: &Path) -> Seen<Self> {
        let name = format!(".gyre-doctor-{}", std::process::id());
        let temporary = Temporary(directory.join(name));
        measure(&temporary.0).map_err(|error| Unseen::new(directory, &error))
    }
}

/// A file that is removed when this is dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // It may not exist.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn measure(path: &Path) -> std::io::Result<Measured> {
    let file = File::create(path)?;
    let write_bytes_per_second = write(&file)?;
    let bytes = file.len_bytes()?;
    file.advise(Advice::DontNeed, 0, 0)?;
    let read_bytes_per_second = read(&file, bytes)?;
    file.advise(Advice::DontNeed, 0, 0)?;
    file.advise(Advice::Random, 0, 0)?;
    let pages = bytes / PAGE_BYTES;
    // Multiples of a number without a common divisor with a power of two reach every page once.
    let page = |nth: u64| (nth * 7919) % pages.max(1) * PAGE_BYTES;
    let mut buffer = [0; PAGE_BYTES as usize];
    let cold_read_seconds = median(|nth| file.read_at(&mut buffer, page(nth)).map(drop))?;
    let sync_seconds = median(|nth| {
        file.write_at(&buffer, page(nth))?;
        file.sync_data()
    })?;
    let random_writes_per_second = write_back(&file, &buffer, page)?;
    Ok(Measured {
        sync_seconds,
        cold_read_seconds,
        write_bytes_per_second,
        read_bytes_per_second,
        random_writes_per_second,
    })
}

/// Bytes a second.
fn write(file: &File) -> std::io::Result<f64> {
    // Not only zeros, because some disks do not store these.
    let pattern: Vec<u8> = (0..CHUNK_BYTES).map(|nth| (nth * 31 % 251) as u8).collect();
    let begun = Instant::now();
    let mut written = 0;
    while written < FILE_BYTES && begun.elapsed() < PART {
        file.write_at(&pattern, written)?;
        written += CHUNK_BYTES as u64;
    }
    file.sync_data()?;
    Ok(written as f64 / begun.elapsed().as_secs_f64())
}

/// Bytes a second.
fn read(file: &File, bytes: u64) -> std::io::Result<f64> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let begun = Instant::now();
    let mut read = 0;
    while read < bytes && begun.elapsed() < PART {
        read += file.read_at(&mut buffer, read)? as u64;
    }
    Ok(read as f64 / begun.elapsed().as_secs_f64())
}

/// Pages a second at random offsets, as the kernel writes back dirty pages.
fn write_back(file: &File, bytes: &[u8], place: impl Fn(u64) -> u64) -> std::io::Result<f64> {
    let (begun, mut written) = (Instant::now(), 0);
    while written < WRITTEN_BACK && begun.elapsed() < PART {
        // After the pages that were synced one by one.
        file.write_at(bytes, place(ROUNDS + written))?;
        written += 1;
    }
    file.sync_data()?;
    Ok(written as f64 / begun.elapsed().as_secs_f64())
}

/// The median of the seconds that a call takes.
fn median(mut call: impl FnMut(u64) -> std::io::Result<()>) -> std::io::Result<f64> {
    let (begun, mut taken) = (Instant::now(), Vec::new());
    for nth in 0..ROUNDS {
        let before = Instant::now();
        call(nth)?;
        taken.push(before.elapsed().as_secs_f64());
        if begun.elapsed() > PART {
            break;
        }
    }
    taken.sort_by(f64::total_cmp);
    Ok(taken[taken.len() / 2])
}
