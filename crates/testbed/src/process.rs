//! What the kernel counts for a process.

use std::ops::Sub;
use std::path::PathBuf;

use crate::read;
use crate::task_files::{Stat, io_bytes, labelled};

/// What the kernel counts for a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessCounters {
    /// On a processor in the program itself.
    pub user_seconds: f64,
    /// On a processor in the kernel.
    pub system_seconds: f64,
    /// Times that the kernel had to give it a page of memory, or the right to write to one, which
    /// needed no disk.
    pub minor_faults: u64,
    /// Pages that it waited for a disk to get.
    pub major_faults: u64,
    /// Bytes that it caused to be read from a device; of its children, once they are waited for,
    /// too (`proc_pid_io(5)`). A control group of version 1 would not count them without a limit.
    pub read_bytes: u64,
    /// Bytes of the pages that it made dirty: what it caused to be written, without the file
    /// system's own journal.
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

/// The counters that grow are subtracted; of memory the later stays.
impl Sub for ProcessCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            user_seconds: self.user_seconds - earlier.user_seconds,
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
