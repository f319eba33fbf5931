//! An open directory: listing it, and opening its entries by name.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::{CWD, Mode, OFlags, RawDir};
use rustix::io::Errno;

use crate::{File, FileKind};

/// An open directory. Its names are found even if its own path changes.
#[derive(Debug)]
pub struct OpenDirectory(pub(crate) OwnedFd);

impl OpenDirectory {
    /// The working directory, for opening files below it; it need not be readable.
    ///
    /// # Errors
    /// Those of `open(2)`.
    pub fn current() -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::openat(CWD, c".", flags, Mode::empty())?))
    }

    /// Opens a directory by its name in this one. A symbolic link is followed if `follow` is set,
    /// and otherwise refused.
    ///
    /// # Errors
    /// Those of `openat(2)`: `NotADirectory` for a link that is not followed.
    pub fn open_directory(&self, name: &CStr, follow: bool) -> io::Result<Self> {
        Ok(Self(self.open(name, OFlags::DIRECTORY, follow)?))
    }

    /// Opens a file for reading by its name in this directory, without waiting for a writer of a
    /// pipe. Reads leave the access time unchanged if this user owns the file.
    ///
    /// # Errors
    /// Those of `openat(2)`: `ELOOP` for a link that is not followed.
    pub fn open_file(&self, name: &CStr, follow: bool) -> io::Result<File> {
        let opened = self.open(name, OFlags::NONBLOCK | OFlags::NOCTTY, follow)?;
        Ok(File::from_std(opened.into()))
    }

    fn open(&self, name: &CStr, flags: OFlags, follow: bool) -> Result<OwnedFd, Errno> {
        let links = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = flags | links | OFlags::RDONLY | OFlags::CLOEXEC;
        let with = |more| rustix::fs::openat(&self.0, name, flags | more, Mode::empty());
        match with(OFlags::NOATIME) {
            // Another user owns the file, so `O_NOATIME` is not permitted.
            Err(Errno::PERM) => with(OFlags::empty()),
            opened => opened,
        }
    }

    /// Passes the next entries to `take`, a buffer full of them, without `.` and `..`. False at the
    /// end.
    ///
    /// # Errors
    /// Those of `getdents64(2)`.
    pub fn next_entries(
        &self,
        buffer: &mut [MaybeUninit<u8>],
        mut each: impl FnMut(&CStr, FileKind),
    ) -> io::Result<bool> {
        let mut entries = RawDir::new(&self.0, buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                each(entry.file_name(), FileKind::of(entry.file_type()));
            }
            if entries.is_buffer_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
