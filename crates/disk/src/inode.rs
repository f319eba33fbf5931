//! Changes a file's owner, permissions and times.

use std::io;
use std::os::unix::fs::PermissionsExt as _;

use rustix::fs::{Timespec, Timestamps, Uid};

use crate::{File, Moment};

/// Leaves the access time unchanged.
pub(crate) fn modified_at(modified: Moment) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
        last_modification: Timespec {
            tv_sec: modified.seconds,
            tv_nsec: i64::from(modified.nanoseconds),
        },
    }
}

impl File {
    /// Changes the owner (`fchown(2)`).
    ///
    /// # Errors
    /// Those of `fchown(2)`: only root may give files away.
    pub fn set_owner(&self, user: u32, group: u32) -> io::Result<()> {
        let group = rustix::fs::Gid::from_raw(group);
        Ok(rustix::fs::fchown(&self.0, Some(Uid::from_raw(user)), Some(group))?)
    }

    /// Sets its permissions (`fchmod(2)`).
    ///
    /// # Errors
    /// Those of `fchmod(2)`.
    pub fn set_permissions(&self, permissions: u32) -> io::Result<()> {
        self.0.set_permissions(std::fs::Permissions::from_mode(permissions))
    }

    /// Sets the time of the last write (`futimens(2)`).
    ///
    /// # Errors
    /// Those of `futimens(2)`.
    pub fn set_modified(&self, modified: Moment) -> io::Result<()> {
        Ok(rustix::fs::futimens(&self.0, &modified_at(modified))?)
    }
}
