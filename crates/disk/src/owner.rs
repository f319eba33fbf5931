//! The owner and permissions of a file.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::Mode;

/// Permissions and owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The permission bits, 12 of them.
    pub mode: u32,
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
}

impl Owner {
    /// The owner and permissions of a file.
    ///
    /// # Errors
    /// Those of `stat(2)`.
    pub fn of(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        Ok(Self { mode: found.mode() & 0o7777, user: found.uid(), group: found.gid() })
    }

    /// Gives a file to this user and group; its permissions are unchanged.
    ///
    /// # Errors
    ///
    /// Those of `chown(2)`: only root may give files away.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        std::os::unix::fs::chown(path, Some(self.user), Some(self.group))
    }
}

/// Sets the permission bits of a file.
///
/// # Errors
/// Those of `chmod(2)`.
pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// The umask of the process. It can only be read by setting it, so no other thread may make files
/// meanwhile.
#[must_use]
pub fn mode_mask() -> u32 {
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    mask.as_raw_mode()
}
