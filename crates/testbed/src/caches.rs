//! The page cache: written back, and dropped.

use std::path::Path;

use serde::Serialize;

use crate::write;

/// Whether the caches may be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Caches {
    /// Drop them where a cold start is measured.
    Drop,
    /// Leave them alone; nothing is cold then.
    Keep,
}

impl Caches {
    /// Drops what is cached of files, directories and inodes, once it is written back. All
    /// programs of the machine feel it.
    ///
    /// # Errors
    /// The file system fails, or the kernel does not let this user.
    pub fn drop(self, directory: &Path) -> Result<(), String> {
        if self == Self::Keep {
            return Ok(());
        }
        sync_file_system(directory)?;
        write(Path::new("/proc/sys/vm/drop_caches"), "3")
    }

    /// `Drop` where this process may, `Keep` elsewhere.
    pub fn permitted() -> Self {
        let opened = std::fs::OpenOptions::new().write(true).open("/proc/sys/vm/drop_caches");
        if opened.is_ok() { Self::Drop } else { Self::Keep }
    }
}

/// Waits until all that was written to the file system of a directory is on its device
/// (`syncfs(2)`).
///
/// # Errors
/// The file system fails, or there is no such directory.
pub fn sync_file_system(directory: &Path) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| format!("{}: {error}", directory.display());
    let opened = std::fs::File::open(directory).map_err(|error| text(&error))?;
    rustix::fs::syncfs(&opened).map_err(|error| text(&error))
}
