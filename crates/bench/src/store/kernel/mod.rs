//! The kernel's own counters, and the few things that are asked of it.

mod disk;
mod process;
mod cgroup;
mod caches;
mod machine;

pub(crate) use caches::{Caches, sync_file_system};
pub(crate) use cgroup::{Cgroup, GroupCounters};
pub(crate) use disk::Device;
pub(crate) use machine::notes;
pub(crate) use process::{ProcessCounters, thread_counters};

use std::path::Path;

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
