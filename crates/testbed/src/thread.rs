//! The kernel's counters of a thread.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::read;
use crate::task_files::{Stat, io_bytes};

/// The kernel's counters of threads, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadCounters {
    /// On a processor.
    pub running_seconds: f64,
    /// Time ready to run, but waiting for a processor.
    pub queued_seconds: f64,
    /// Other waits: for the disk or for other threads.
    pub waiting_seconds: f64,
    /// Bytes that the kernel read from a device for them.
    pub read_bytes: u64,
    /// Page faults that waited for a disk.
    pub major_faults: u64,
}

impl std::ops::AddAssign for ThreadCounters {
    fn add_assign(&mut self, other: Self) {
        self.running_seconds += other.running_seconds;
        self.queued_seconds += other.queued_seconds;
        self.waiting_seconds += other.waiting_seconds;
        self.read_bytes += other.read_bytes;
        self.major_faults += other.major_faults;
    }
}

/// The counters of the calling thread since it started, except for waits.
///
/// # Errors
///
/// `/proc` does not tell them.
pub fn thread_counters() -> Result<ThreadCounters, String> {
    let directory = Path::new("/proc/thread-self");
    let schedule = read(&directory.join("schedstat"))?;
    let mut seconds = schedule.split_whitespace().map(|field| field.parse().unwrap_or(0.0) / 1e9);
    Ok(ThreadCounters {
        running_seconds: seconds.next().unwrap_or(0.0),
        queued_seconds: seconds.next().unwrap_or(0.0),
        waiting_seconds: 0.0,
        read_bytes: io_bytes(directory, "read_bytes:")?,
        major_faults: Stat::read(directory)?.major_faults,
    })
}

/// Processor seconds of the first thread of a process, with a resolution of nanoseconds; those of
/// [`crate::ProcessCounters`] are in ticks.
///
/// # Errors
///
/// There is no such process, or the kernel does not count for it.
pub fn first_thread_seconds(process: u32) -> Result<f64, String> {
    let path = PathBuf::from(format!("/proc/{process}/schedstat"));
    let text = read(&path)?;
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map(|it| it / 1e9).ok_or_else(|| format!("{}: {text:?}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::thread_counters;

    #[test]
    fn a_thread_that_works_is_seen_running() {
        let before = thread_counters().unwrap();
        let sum = (0..50_000_000_u64).fold(0, |sum, each| std::hint::black_box(sum ^ each));
        let after = thread_counters().unwrap();
        assert!(after.running_seconds > before.running_seconds, "{sum}");
    }
}
