//! The kernel's own counters, and the few things that are asked of it.

mod disk;
mod process;
mod cgroup;
mod caches;
mod readahead;
mod machine;

pub(crate) use caches::{Caches, sync_file_system};
pub(crate) use cgroup::Cgroup;
pub(crate) use disk::{Device, DiskCounters};
pub(crate) use machine::notes;
pub(crate) use process::{ProcessCounters, ThreadCounters, thread_counters};
pub(crate) use readahead::Readahead;

use std::path::Path;

/// Bytes in pages of 4 KiB.
pub(crate) fn pages(bytes: u64) -> f64 {
    bytes as f64 / 4096.0
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
