//! Bytes written to and read from a device (`/proc/diskstats`), including the file system's
//! journal.

use std::ops::{Add, Sub};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::{read, sync_file_system};

/// The unit of `/proc/diskstats`, for every device.
const SECTOR_BYTES: u64 = 512;

/// The device of a file system.
#[derive(Clone, Debug)]
pub struct Device {
    major: u32,
    minor: u32,
    directory: PathBuf,
}

/// Counters of a device since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCounters {
    /// Completed read requests.
    pub reads: u64,
    /// Reads that were merged with another one while they waited.
    pub reads_merged: u64,
    /// Bytes that it read.
    pub read_bytes: u64,
    /// The total milliseconds of all read requests, including their wait.
    pub reading_ms: u64,
    /// Completed write requests.
    pub writes: u64,
    /// Writes that were merged with another one while they waited.
    pub writes_merged: u64,
    /// Bytes that it wrote.
    pub written_bytes: u64,
    /// Milliseconds with a request in progress.
    pub busy_ms: u64,
    /// The total milliseconds of all requests, including their wait.
    pub requested_ms: u64,
    /// Flushes of its write cache.
    pub flushes: u64,
}

impl Device {
    /// The device of a directory.
    ///
    /// # Errors
    ///
    /// There is no such directory, or its file system has no device.
    pub fn of(directory: &Path) -> Result<Self, String> {
        let found = std::fs::metadata(directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        let device = found.dev();
        let this = Self { major: major(device), minor: minor(device), directory: directory.into() };
        this.counters().map(|_| this)
    }

    /// `major:minor`, as control groups name it.
    pub fn number(&self) -> String {
        format!("{}:{}", self.major, self.minor)
    }

    /// The counters, after all earlier writes have reached the device.
    ///
    /// # Errors
    ///
    /// The device fails, or the kernel does not count for it.
    pub fn synced_counters(&self) -> Result<DiskCounters, String> {
        sync_file_system(&self.directory)?;
        self.counters()
    }

    /// The present counters.
    ///
    /// # Errors
    ///
    /// The kernel does not count for it.
    pub fn counters(&self) -> Result<DiskCounters, String> {
        let text = read(Path::new("/proc/diskstats"))?;
        counters_in(&text, self.major, self.minor).ok_or_else(|| {
            format!(
                "/proc/diskstats has no device {} for {}",
                self.number(),
                self.directory.display()
            )
        })
    }
}

fn counters_in(text: &str, major: u32, minor: u32) -> Option<DiskCounters> {
    let fields = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let (major, minor) = (major.to_string(), minor.to_string());
    let fields = fields.into_iter().find(|it| it.starts_with(&[&*major, &*minor]))?;
    let number = |nth: usize| fields.get(nth).and_then(|field| field.parse::<u64>().ok());
    Some(DiskCounters {
        reads: number(3)?,
        reads_merged: number(4)?,
        read_bytes: number(5)? * SECTOR_BYTES,
        reading_ms: number(6)?,
        writes: number(7)?,
        writes_merged: number(8)?,
        written_bytes: number(9)? * SECTOR_BYTES,
        busy_ms: number(12)?,
        requested_ms: number(13)?,
        flushes: number(18).unwrap_or(0), // kernels before 5.5 do not count them
    })
}

impl Add for DiskCounters {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            reads: self.reads + more.reads,
            reads_merged: self.reads_merged + more.reads_merged,
            read_bytes: self.read_bytes + more.read_bytes,
            reading_ms: self.reading_ms + more.reading_ms,
            writes: self.writes + more.writes,
            writes_merged: self.writes_merged + more.writes_merged,
            written_bytes: self.written_bytes + more.written_bytes,
            busy_ms: self.busy_ms + more.busy_ms,
            requested_ms: self.requested_ms + more.requested_ms,
            flushes: self.flushes + more.flushes,
        }
    }
}

impl Sub for DiskCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            reads: self.reads - earlier.reads,
            reads_merged: self.reads_merged - earlier.reads_merged,
            read_bytes: self.read_bytes - earlier.read_bytes,
            reading_ms: self.reading_ms - earlier.reading_ms,
            writes: self.writes - earlier.writes,
            writes_merged: self.writes_merged - earlier.writes_merged,
            written_bytes: self.written_bytes - earlier.written_bytes,
            busy_ms: self.busy_ms - earlier.busy_ms,
            requested_ms: self.requested_ms - earlier.requested_ms,
            flushes: self.flushes - earlier.flushes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DiskCounters, counters_in};

    #[test]
    fn reads_a_line_of_the_kernel() {
        let text = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n \
                    254       0 vda 2274199 86550 994 4270233 731390 303040 150 951476 0 280924 \
                    5321774 422205 469 86861368 91893 65371 8170\n";
        let expected = DiskCounters {
            reads: 2_274_199,
            reads_merged: 86_550,
            read_bytes: 994 * 512,
            reading_ms: 4_270_233,
            writes: 731_390,
            writes_merged: 303_040,
            written_bytes: 150 * 512,
            busy_ms: 280_924,
            requested_ms: 5_321_774,
            flushes: 65_371,
        };
        assert_eq!(counters_in(text, 254, 0), Some(expected));
        assert_eq!(counters_in(text, 25, 0), None);
    }
}
