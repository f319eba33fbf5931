//! A directory for one trial, whose name tells whether its run is still alive.

use std::path::{Path, PathBuf};

use crate::{Checked, power};

/// A directory that is removed when dropped.
pub(crate) struct Room(PathBuf);

impl Room {
    pub(crate) fn new(below: &Path) -> Checked<Self> {
        let below = below.canonicalize().map_err(|it| format!("{}: {it}", below.display()))?;
        let path = below.join(testbed::own_name("room"));
        std::fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Renames it, so that it is kept.
    pub(crate) fn keep(mut self, name: &str) -> Checked<PathBuf> {
        let to = self.0.with_file_name(name);
        let _ = std::fs::remove_dir_all(&to); // what an earlier run kept of the same trial
        let from = std::mem::take(&mut self.0);
        std::fs::rename(&from, &to).map_err(|error| format!("{}: {error}", to.display()))?;
        Ok(to)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            // If this fails, the next run cleans up.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// Removes directories of runs that were killed; returns a line for each.
pub(crate) fn remove_leftovers(below: &Path) -> Vec<String> {
    let mut lines = testbed::clean_leftovers(below);
    let entries = std::fs::read_dir(below).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with("-room") && testbed::is_of_a_dead_run(&name) {
            let removed = power::remove_leftover(&path)
                .and_then(|()| std::fs::remove_dir_all(&path).map_err(|error| error.to_string()));
            lines.push(match removed {
                Ok(()) => format!("removed {}, which a killed run left", path.display()),
                Err(error) => format!("{} is left of a killed run: {error}", path.display()),
            });
        }
    }
    lines
}
