//! What the kernel counts for a process and for a thread.

use std::ops::Sub;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::read;

/// What the kernel counts for a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessCounters {
    /// On a processor in the program itself.
    pub user_seconds: f64,
    /// On a processor in the kernel.
    pub system_seconds: f64,
    /// Pages that it waited for a disk to get.
    pub major_faults: u64,
    /// Bytes that it caused to be read from a device; of its children, once they are waited for,
    /// too (`proc_pid_io(5)`). A control group of version 1 would not count them without a limit.
    pub read_bytes: u64,
    /// Bytes of the pages that it made dirty: what it caused to be written, without the file system's
    /// own journal.
    pub written_bytes: u64,
    /// What it holds now (`VmRSS`).
    pub resident_bytes: u64,
    /// The most it ever held (`VmHWM`).
    pub resident_bytes_max: u64,
    /// The part of it that no file backs (`RssAnon`).
    pub anonymous_bytes: u64,
}

impl ProcessCounters {
    /// Those of the calling process and of its children that ended.
    ///
    /// # Errors
    /// `/proc` does not tell them.
    pub fn own() -> Result<Self, String> {
        Self::of(std::process::id())
    }

    /// The counters of a running process.
    ///
    /// # Errors
    /// There is none of that number, or it is another user's.
    pub fn of(process: u32) -> Result<Self, String> {
        let directory = PathBuf::from(format!("/proc/{process}"));
        let stat = Stat::read(&directory)?;
        let status = read(&directory.join("status"))?;
        let kilobytes = |label| labelled(&status, label).unwrap_or(0);
        Ok(Self {
            user_seconds: stat.user_seconds,
            system_seconds: stat.system_seconds,
            major_faults: stat.major_faults,
            read_bytes: io_bytes(&directory, "read_bytes:")?,
            written_bytes: io_bytes(&directory, "write_bytes:")?,
            resident_bytes: kilobytes("VmRSS:") * 1024,
            resident_bytes_max: kilobytes("VmHWM:") * 1024,
            anonymous_bytes: kilobytes("RssAnon:") * 1024,
        })
    }
}

/// The counters that grow are subtracted; of memory the later stays.
impl Sub for ProcessCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            user_seconds: self.user_seconds - earlier.user_seconds,
            system_seconds: self.system_seconds - earlier.system_seconds,
            major_faults: self.major_faults - earlier.major_faults,
            read_bytes: self.read_bytes - earlier.read_bytes,
            written_bytes: self.written_bytes - earlier.written_bytes,
            ..self
        }
    }
}

/// Seconds that the first thread of a process was on a processor, to the nanosecond, where
/// [`ProcessCounters`] has ticks.
///
/// # Errors
/// There is no process of that number, or the kernel does not count for it.
pub fn first_thread_seconds(process: u32) -> Result<f64, String> {
    let path = PathBuf::from(format!("/proc/{process}/schedstat"));
    let text = read(&path)?;
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map(|it| it / 1e9).ok_or_else(|| format!("{}: {text:?}", path.display()))
}

/// What the kernel says of threads, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadCounters {
    /// On a processor.
    pub running_seconds: f64,
    /// Ready to run, waiting for a processor.
    pub queued_seconds: f64,
    /// Neither: waiting for the disk or for each other.
    pub waiting_seconds: f64,
    /// Bytes that the kernel read from a device for them.
    pub read_bytes: u64,
    /// Pages that they waited for a disk to get.
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

/// What the kernel counts for the calling thread since it started: all but the time it waited.
///
/// # Errors
/// `/proc` does not tell it.
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

/// The part of `stat` that is used here (`proc_pid_stat(5)`).
struct Stat {
    major_faults: u64,
    user_seconds: f64,
    system_seconds: f64,
}

impl Stat {
    fn read(directory: &Path) -> Result<Self, String> {
        let text = read(&directory.join("stat"))?;
        // The name of the program may hold blanks; it ends with the last parenthesis.
        let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let fields: Vec<u64> =
            after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        // Field 3 of the manual is the first after the name.
        let field = |nth: usize| fields.get(nth - 3).copied().unwrap_or(0);
        let ticks_a_second = rustix::param::clock_ticks_per_second() as f64;
        Ok(Self {
            major_faults: field(12),
            user_seconds: field(14) as f64 / ticks_a_second,
            system_seconds: field(15) as f64 / ticks_a_second,
        })
    }
}

fn io_bytes(directory: &Path, label: &str) -> Result<u64, String> {
    let path = directory.join("io");
    let text = read(&path)?;
    labelled(&text, label).ok_or_else(|| format!("{}: no {label}", path.display()))
}

/// The number after a label at the start of a line.
fn labelled(text: &str, label: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(label))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{ProcessCounters, thread_counters};

    #[test]
    fn a_process_sees_itself() {
        let counters = ProcessCounters::of(std::process::id()).unwrap();
        assert!(counters.resident_bytes > 100_000);
        assert!(counters.resident_bytes_max >= counters.anonymous_bytes);
    }

    #[test]
    fn a_thread_that_works_is_seen_running() {
        let before = thread_counters().unwrap();
        let sum = (0..50_000_000_u64).fold(0, |sum, each| std::hint::black_box(sum ^ each));
        let after = thread_counters().unwrap();
        assert!(after.running_seconds > before.running_seconds, "{sum}");
    }
}
