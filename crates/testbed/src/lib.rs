//! A piece of this machine to measure on, and the kernel's own counters of what happened there.
//!
//! ```text
//! Cgroup ── a limit of memory ──┐
//! Readahead ── of a device ─────┼─▶ a program under test ──▶ ProcessCounters, DiskCounters
//! Caches ── dropped, or kept ───┘
//! ```
//!
//! Whatever is set up is put back when its value is dropped. Errors are lines for people: each names
//! the file that the kernel refused.
#![allow(clippy::disallowed_methods)] // it exists to set the machine up and to look at the clock

mod device;
mod process;
mod cgroup;
mod caches;
mod readahead;
mod machine;

pub use caches::{Caches, sync_file_system};
pub use cgroup::Cgroup;
pub use device::{Device, DiskCounters};
pub use machine::notes;
pub use process::{ProcessCounters, ThreadCounters, thread_counters};
pub use readahead::Readahead;

use std::path::Path;

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
