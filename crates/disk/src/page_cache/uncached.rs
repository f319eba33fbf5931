//! Reads and writes that leave the page cache unchanged.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::ReadWriteFlags;

use crate::File;

/// `RWF_DONTCACHE` (Linux 6.14): pages that the call loads are dropped afterwards.
const DONT_CACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);

impl File {
    /// Opens an existing file for reading that bypasses the page cache (`O_DIRECT`). Buffers,
    /// offsets and lengths must be multiples of the device's block size, at most 4,096 bytes.
    ///
    /// # Errors
    ///
    /// Those of `open(2)`; `InvalidInput` if the file system does not support it.
    pub fn open_direct(path: &Path) -> io::Result<Self> {
        let flags = (OFlags::DIRECT | OFlags::NOATIME).bits().cast_signed();
        let mut options = std::fs::OpenOptions::new();
        match options.read(true).custom_flags(flags).open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let flags = OFlags::DIRECT.bits().cast_signed();
                options.custom_flags(flags).open(path)
            }
            opened => opened,
        }
        .map(Self)
    }

    /// Switches whether reads of this descriptor bypass the page cache (`O_DIRECT`), under the same
    /// conditions.
    ///
    /// # Errors
    ///
    /// Those of `fcntl(2)`; `InvalidInput` if the file system does not support it.
    pub fn set_direct(&self, direct: bool) -> io::Result<()> {
        let mut flags = rustix::fs::fcntl_getfl(&self.0)?;
        flags.set(OFlags::DIRECT, direct);
        Ok(rustix::fs::fcntl_setfl(&self.0, flags)?)
    }

    /// Makes an empty file for reading and writing that bypass the page cache (`O_DIRECT`), under
    /// the same conditions.
    ///
    /// # Errors
    ///
    /// `AlreadyExists`; those of `open(2)`; `InvalidInput` if the file system does not support it,
    /// and the file may have been made.
    pub fn create_direct(path: &Path) -> io::Result<Self> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        options.custom_flags(OFlags::DIRECT.bits().cast_signed()).open(path).map(Self)
    }

    /// Reads some bytes, at most a buffer full. Pages that were not cached before are dropped
    /// afterwards, cached pages stay (`preadv2(2)` with `RWF_DONTCACHE`).
    ///
    /// # Errors
    ///
    /// `Unsupported` if the kernel (before Linux 6.14) or the file system does not support it;
    /// those of `preadv2(2)`.
    pub fn read_uncached_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        let buffers = &mut [IoSliceMut::new(buffer)];
        Ok(rustix::io::preadv2(&self.0, buffers, offset_bytes, DONT_CACHE)?)
    }

    /// Writes some bytes, at least one. Their pages are dropped from the page cache once they are
    /// on disk (`pwritev2(2)` with `RWF_DONTCACHE`).
    ///
    /// # Errors
    ///
    /// `Unsupported` if the kernel (before Linux 6.14) or the file system does not support it;
    /// those of `pwritev2(2)`.
    pub fn write_uncached_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        Ok(rustix::io::pwritev2(&self.0, &[IoSlice::new(bytes)], offset_bytes, DONT_CACHE)?)
    }
}
