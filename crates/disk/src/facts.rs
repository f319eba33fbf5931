//! The kernel's metadata of a file (`stat(2)`).

use std::ffi::CStr;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use crate::{File, FileKind, Identity, OpenDirectory};

/// A time as file systems keep it, since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds of the second.
    pub nanoseconds: u32,
}

impl Moment {
    /// Now, by the clock with which the kernel dates files (`clock_gettime(2)`, `CLOCK_REALTIME`).
    #[must_use]
    pub fn now() -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        Self { seconds: now.tv_sec, nanoseconds: now.tv_nsec as u32 }
    }
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Its kind.
    pub kind: FileKind,
    /// Its device and inode.
    pub identity: Identity,
    /// Its size.
    pub bytes: u64,
    /// The bytes that it takes on disk.
    pub allocated_bytes: u64,
    /// Permissions, with the bits for set-user-id and the like.
    pub permissions: u32,
    /// Owner.
    pub user: u32,
    /// Group.
    pub group: u32,
    /// When its content was last written.
    pub modified: Moment,
    /// When its content or metadata last changed.
    pub changed: Moment,
}

impl FileFacts {
    /// The metadata of a path. A symbolic link is not followed.
    ///
    /// # Errors
    /// Those of `lstat(2)`.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::of(&rustix::fs::lstat(path)?))
    }

    fn of(stat: &rustix::fs::Stat) -> Self {
        Self {
            kind: FileKind::of(FileType::from_raw_mode(stat.st_mode)),
            identity: Identity::of(stat),
            bytes: stat.st_size as u64,
            allocated_bytes: stat.st_blocks as u64 * 512,
            permissions: Mode::from_raw_mode(stat.st_mode).bits(),
            user: stat.st_uid,
            group: stat.st_gid,
            modified: Moment { seconds: stat.st_mtime, nanoseconds: stat.st_mtime_nsec as u32 },
            changed: Moment { seconds: stat.st_ctime, nanoseconds: stat.st_ctime_nsec as u32 },
        }
    }
}

impl File {
    /// The present metadata of an open file.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn facts(&self) -> io::Result<FileFacts> {
        Ok(FileFacts::of(&rustix::fs::fstat(&self.0)?))
    }

    /// Whether reads leave its access time unchanged, because it is open with `O_NOATIME`.
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    pub fn leaves_access_time(&self) -> io::Result<bool> {
        Ok(rustix::fs::fcntl_getfl(&self.0)?.contains(OFlags::NOATIME))
    }
}

impl OpenDirectory {
    /// The present metadata of the directory.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn facts(&self) -> io::Result<FileFacts> {
        Ok(FileFacts::of(&rustix::fs::fstat(&self.0)?))
    }

    /// The metadata of a name in the directory. A symbolic link is followed if `follow` is set.
    ///
    /// # Errors
    /// Those of `fstatat(2)`.
    pub fn facts_of(&self, name: &CStr, follow: bool) -> io::Result<FileFacts> {
        let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        Ok(FileFacts::of(&rustix::fs::statat(&self.0, name, flags)?))
    }
}
