//! The kernel's counters of a process.

use std::ops::Sub;
use std::path::PathBuf;

use crate::read;
use crate::task_files::{Stat, io_bytes, labelled};

/// The kernel's counters of a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessCounters {
    /// Processor time in the program itself.
    pub user_seconds: f64,
    /// Processor time in the kernel.
    pub system_seconds: f64,
    /// Processor time of its children that have ended and were waited for.
    pub children_seconds: f64,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that waited for a disk.
    pub major_faults: u64,
    /// Bytes read from a device because of it, including those of children that were waited for
    /// (`proc_pid_io(5)`). A control group of version 1 without a limit would not count them.
    pub read_bytes: u64,
    /// Bytes of the pages that it made dirty, without the file system's own journal.
    pub written_bytes: u64,
    /// The present resident memory (`VmRSS`).
    pub resident_bytes: u64,
    /// The most resident memory (`VmHWM`).
    pub resident_bytes_max: u64,
    /// The anonymous part of it (`RssAnon`).
    pub anonymous_bytes: u64,
}

impl ProcessCounters {
    /// The counters of the calling process and of its children that have ended.
    ///
    /// # Errors
    ///
    /// `/proc` does not tell them.
    pub fn own() -> Result<Self, String> {
        Self::of(std::process::id())
    }

    /// The counters of a running process.
    ///
    /// # Errors
    ///
    /// There is no such process, or it belongs to another user.
    pub fn of(process: u32) -> Result<Self, String> {
        let directory = PathBuf::from(format!("/proc/{process}"));
        let stat = Stat::read(&directory)?;
        let status = read(&directory.join("status"))?;
        let kilobytes = |label| labelled(&status, label).unwrap_or(0);
        Ok(Self {
            user_seconds: stat.user_seconds,
            system_seconds: stat.system_seconds,
            children_seconds: stat.children_seconds,
            minor_faults: stat.minor_faults,
            major_faults: stat.major_faults,
            read_bytes: io_bytes(&directory, "read_bytes:")?,
            written_bytes: io_bytes(&directory, "write_bytes:")?,
            resident_bytes: kilobytes("VmRSS:") * 1024,
            resident_bytes_max: kilobytes("VmHWM:") * 1024,
            anonymous_bytes: kilobytes("RssAnon:") * 1024,
        })
    }
}

/// Subtracts the counters that grow; of memory the later value is kept.
impl Sub for ProcessCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            user_seconds: self.user_seconds - earlier.user_seconds,
            children_seconds: self.children_seconds - earlier.children_seconds,
            system_seconds: self.system_seconds - earlier.system_seconds,
            minor_faults: self.minor_faults - earlier.minor_faults,
            major_faults: self.major_faults - earlier.major_faults,
            read_bytes: self.read_bytes - earlier.read_bytes,
            written_bytes: self.written_bytes - earlier.written_bytes,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessCounters;

    #[test]
    fn a_process_sees_itself() {
        let counters = ProcessCounters::of(std::process::id()).unwrap();
        assert!(counters.resident_bytes > 100_000);
        assert!(counters.resident_bytes_max >= counters.anonymous_bytes);
    }
}
