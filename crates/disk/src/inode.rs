//! What the kernel tells of a file (`stat(2)`), and setting it.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{FileType, Mode, Stat, Timespec, Timestamps, Uid};

use crate::File;

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A socket, a pipe, a device.
    Other,
}

/// A moment as file systems keep it: since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds of the second.
    pub nanoseconds: u32,
}

/// What the kernel tells of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What kind of file it is.
    pub kind: Kind,
    /// Permissions, with the bits for set-user-id and the like.
    pub permissions: u32,
    /// Owner.
    pub user: u32,
    /// Group.
    pub group: u32,
    /// Its size.
    pub bytes: u64,
    /// What it takes on disk.
    pub allocated_bytes: u64,
    /// The device that it lies on.
    pub device: u64,
    /// Its number on the device.
    pub inode: u64,
    /// When it was last written.
    pub modified: Moment,
    /// When anything about it last changed.
    pub changed: Moment,
}

impl Facts {
    /// Of what a name leads to; a symbolic link is told of itself.
    ///
    /// # Errors
    /// Those of `lstat(2)`.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::of(&rustix::fs::lstat(path)?))
    }

    fn of(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        Self {
            kind,
            permissions: Mode::from_raw_mode(stat.st_mode).bits(),
            user: stat.st_uid,
            group: stat.st_gid,
            bytes: stat.st_size as u64,
            allocated_bytes: stat.st_blocks as u64 * 512,
            device: stat.st_dev,
            inode: stat.st_ino,
            modified: Moment { seconds: stat.st_mtime, nanoseconds: stat.st_mtime_nsec as u32 },
            changed: Moment { seconds: stat.st_ctime, nanoseconds: stat.st_ctime_nsec as u32 },
        }
    }
}

/// Leaves the access time alone.
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
    /// What the kernel tells of it now.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn inode_facts(&self) -> io::Result<Facts> {
        Ok(Facts::of(&rustix::fs::fstat(&self.0)?))
    }

    /// Gives it to somebody (`fchown(2)`).
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

    /// Sets when it was last written (`futimens(2)`).
    ///
    /// # Errors
    /// Those of `futimens(2)`.
    pub fn set_modified(&self, modified: Moment) -> io::Result<()> {
        Ok(rustix::fs::futimens(&self.0, &modified_at(modified))?)
    }
}
