//! What runs that were killed left behind.

use std::path::{Path, PathBuf};

use crate::{cgroup, loop_disk, mounts, run};

/// Removes what dead runs left: disks, mounted anywhere or below this directory, and control groups.
/// Gives a line for each: what it was, and why it is still there if it is.
#[must_use]
pub fn clean_leftovers(below: &Path) -> Vec<String> {
    let mut disks = mounted_disks();
    disks.extend(below.canonicalize().map(|below| entries(&below)).unwrap_or_default());
    disks.retain(|path| is_dead(path));
    disks.sort();
    disks.dedup();
    let disks = disks.into_iter().map(|path| (loop_disk::take_down(&path), path));
    let groups = entries(&cgroup::memory_hierarchy()).into_iter().filter(|path| is_dead(path));
    let groups = groups.map(|path| (cgroup::remove(&path), path));
    let told = |(refused, path): (Option<String>, PathBuf)| match refused {
        None => format!("removed {}, which a killed run left", path.display()),
        Some(reason) => format!("{} is left of a killed run: {reason}", path.display()),
    };
    disks.chain(groups).map(told).collect()
}

fn is_dead(path: &Path) -> bool {
    path.file_name().is_some_and(|name| run::is_of_a_dead_run(&name.to_string_lossy()))
}

/// The directories of all disks that are mounted.
fn mounted_disks() -> Vec<PathBuf> {
    let points = mounts::points().into_iter();
    points.filter_map(|point| Some(point.parent()?.to_path_buf())).collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(directory);
    read.map_or_else(|_| Vec::new(), |all| all.flatten().map(|entry| entry.path()).collect())
}
