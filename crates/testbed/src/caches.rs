//! Writes the page cache back, and drops it.

use std::path::Path;

use serde::Serialize;

use crate::write;

/// Whether the caches may be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Caches {
    /// Drop them before a measurement with cold caches.
    Drop,
    /// Do not drop them; no measurement has cold caches then.
    Keep,
}

impl Caches {
    /// Writes back and drops the cached files, directories and inodes of the machine. All programs
    /// are affected.
    ///
    /// # Errors
    ///
    /// The file system fails, or the kernel does not permit it for this user.
    pub fn drop(self, directory: &Path) -> Result<(), String> {
        if self == Self::Keep {
            return Ok(());
        }
        sync_file_system(directory)?;
        write(Path::new("/proc/sys/vm/drop_caches"), "3")
    }

    /// `Drop` if this process may drop caches, otherwise `Keep`.
    pub fn permitted() -> Self {
        let opened = std::fs::OpenOptions::new().write(true).open("/proc/sys/vm/drop_caches");
        if opened.is_ok() { Self::Drop } else { Self::Keep }
    }
}

/// Waits until everything that was written to the file system of a directory is on its device
/// (`syncfs(2)`).
///
/// # Errors
///
/// The file system fails, or there is no such directory.
pub fn sync_file_system(directory: &Path) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| format!("{}: {error}", directory.display());
    let opened = std::fs::File::open(directory).map_err(|error| text(&error))?;
    rustix::fs::syncfs(&opened).map_err(|error| text(&error))
}
