//! Cleans up after runs that were killed.

use std::path::{Path, PathBuf};

use crate::{cgroup, loop_disk, mounts, run};

/// Removes what dead runs of this machine and container left: disks that are mounted anywhere or
/// are below this directory, and control groups. Returns a line for each, which also tells if it
/// could not be removed. Leftovers of other machines or containers, or from before the machine
/// started, are not touched.
#[must_use]
pub fn clean_leftovers(below: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let disks = dead_disks(below).unwrap_or_else(|reason| {
        lines.push(format!("disks that killed runs left are not looked for: {reason}"));
        Vec::new()
    });
    let disks = disks.into_iter().map(|path| (loop_disk::take_down(&path), path));
    let groups = entries(&cgroup::memory_hierarchy()).into_iter().filter(|path| is_dead(path));
    let groups = groups.map(|path| (cgroup::remove(&path), path));
    let told = |(refused, path): (Option<String>, PathBuf)| match refused {
        None => format!("removed {}, which a killed run left", path.display()),
        Some(reason) => format!("{} is left of a killed run: {reason}", path.display()),
    };
    lines.extend(disks.chain(groups).map(told));
    lines
}

fn dead_disks(below: &Path) -> Result<Vec<PathBuf>, String> {
    let mut disks = loop_disk::mounted_disks(mounts::points()?);
    disks.extend(below.canonicalize().map(|below| entries(&below)).unwrap_or_default());
    disks.retain(|path| is_dead(path) && path.to_string_lossy().ends_with(loop_disk::LABEL));
    disks.sort();
    disks.dedup();
    Ok(disks)
}

fn is_dead(path: &Path) -> bool {
    path.file_name().is_some_and(|name| run::is_of_a_dead_run(&name.to_string_lossy()))
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(directory);
    read.map_or_else(|_| Vec::new(), |all| all.flatten().map(|entry| entry.path()).collect())
}
