//! An isolated part of this machine for measurements, and the kernel's counters for it.
//!
//! ```text
//! Cgroup ── a limit of memory ──────────────┐
//! LoopDisk ── a file system on its own disk ┼─▶ run_worker ──▶ ProcessCounters, DiskCounters
//! Readahead, Scheduler ── of a device ──────┤
//! Caches ── dropped, or kept ───────────────┘
//! ```
//!
//! A setting is restored when its value is dropped: at the end, on an error, and on a signal if
//! [`Interrupts`] watches for it. The leftovers of a run that was killed are removed by the next
//! run ([`clean_leftovers`]). Errors are lines for people: each names the file that the kernel
//! refused.
#![allow(clippy::disallowed_methods)] // it exists to set the machine up and to look at the clock

mod device;
mod process;
mod thread;
mod cgroup;
mod caches;
mod readahead;
mod scheduler;
mod loop_disk;
mod interrupts;
mod worker;
mod leftovers;
mod machine;
mod task_files;
mod programs;
mod mounts;
mod run;

pub use caches::{Caches, sync_file_system};
pub use cgroup::Cgroup;
pub use device::{Device, DiskCounters};
pub use interrupts::Interrupts;
pub use leftovers::clean_leftovers;
pub use loop_disk::LoopDisk;
pub use machine::{has_large_folios, notes};
pub use process::ProcessCounters;
pub use readahead::Readahead;
pub use run::{is_of_a_dead_run, own_name};
pub use scheduler::Scheduler;
pub use thread::{ThreadCounters, first_thread_seconds, thread_counters};
pub use worker::{end_with_parent, name_parent, run_worker};

use std::path::Path;

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
