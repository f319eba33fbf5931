//! The load of the machine: how many databases, how they are kept, and what that needs.

mod ring;
mod configuration;

pub use inventory::{Sample, Targets};
pub(crate) use ring::RingStoreFacts;

/// How databases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// A directory of `.rrd` files.
    Files,
    /// A ring store.
    Ring,
}

/// The load, and the resources that it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// How databases are kept.
    pub keeping: Keeping,
    /// How many there are.
    pub databases: u64,
    /// How often each is updated, in seconds.
    pub step_seconds: f64,
    /// Bytes of memory: of page cache for files, of the process for a ring store.
    pub memory_bytes: u64,
    /// The same for files that are read without random-access advice.
    pub memory_unadvised_bytes: u64,
    /// Bytes on disk.
    pub disk_bytes: u64,
    /// Those of them that exist already.
    pub disk_there_bytes: u64,
    /// Inodes, and how many of them exist already.
    pub inodes: (u64, u64),
    /// Bytes written in a step.
    pub written_bytes_per_step: u64,
    /// Bytes of an average file; 0 for a ring store.
    pub file_bytes: u64,
}

/// Pages of an `.rrd` file that stay resident if reads are random (LISA 2007, Figure 12).
pub(crate) const PAGES_PER_FILE: u64 = 8;
/// Pages that an update writes: the header, and the newest row of AVERAGE and MAX (as above, Figure
/// 2).
pub(crate) const PAGES_PER_UPDATE: u64 = 3;
pub(crate) const PAGE_BYTES: u64 = 4096;

impl Work {
    /// The load of this many `.rrd` files of a size.
    #[must_use]
    pub fn of_files(files: u64, file_bytes: u64, step_seconds: u64, are_there: bool) -> Self {
        let there = if are_there { files } else { 0 };
        let pages = file_bytes.div_ceil(PAGE_BYTES).max(1);
        Self {
            keeping: Keeping::Files,
            databases: files,
            step_seconds: step_seconds.max(1) as f64,
            memory_bytes: files * pages.min(PAGES_PER_FILE) * PAGE_BYTES,
            memory_unadvised_bytes: files * pages * PAGE_BYTES,
            disk_bytes: files * file_bytes.next_multiple_of(PAGE_BYTES),
            disk_there_bytes: there * file_bytes.next_multiple_of(PAGE_BYTES),
            inodes: (files, there),
            written_bytes_per_step: files * PAGES_PER_UPDATE * PAGE_BYTES,
            file_bytes,
        }
    }

    /// Updates a second.
    pub(crate) fn updates_per_second(&self) -> f64 {
        self.databases as f64 / self.step_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_files_take_what_it_computes() {
        // 480,000 files of 103 KB at 8 pages: 14.6 GiB.
        let work = Work::of_files(480_000, 105_312, 300, true);
        assert_eq!(work.memory_bytes, 480_000 * 8 * 4096);
        assert_eq!(work.memory_unadvised_bytes, 480_000 * 26 * 4096);
        assert!((work.updates_per_second() - 1600.0).abs() < 1e-9);
    }
}
