//! Memory that shows a file, or a copy of one.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr::{NonNull, null_mut};

use libc::{MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED};
use libc::{PROT_READ, PROT_WRITE};

/// A map; it goes when dropped. Others write the file too, so its bytes are copied, never borrowed.
/// Where another program cuts the file, access ends this process, as with Debian's library.
pub(super) struct Map {
    start: NonNull<u8>,
    bytes: usize,
    pub(super) protection: c_int,
    pub(super) flags: c_int,
}

impl Map {
    /// A file for reading.
    pub(super) fn for_reading(file: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        Self::new(bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, file.as_raw_fd())
    }

    /// A file whose bytes change as the memory does.
    pub(super) fn for_writing(file: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        Self::new(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.as_raw_fd())
    }

    /// A copy of bytes, which cannot be written.
    pub(super) fn of_copy(bytes: &[u8]) -> io::Result<Self> {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS;
        let mut map = Self::new(bytes.len(), PROT_READ | PROT_WRITE, flags, -1)?;
        // SAFETY: the map is as long, new and writable.
        unsafe { map.start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        // SAFETY: it is this map's memory.
        match unsafe { libc::mprotect(map.start.as_ptr().cast(), map.bytes, PROT_READ) } {
            0 => {
                map.protection = PROT_READ;
                Ok(map)
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn new(bytes: usize, protection: c_int, flags: c_int, fd: c_int) -> io::Result<Self> {
        // SAFETY: the kernel chooses a place where nothing is.
        let start = unsafe { libc::mmap(null_mut(), bytes, protection, flags, fd, 0) };
        match NonNull::new(start.cast::<u8>()) {
            Some(place) if start != MAP_FAILED => {
                Ok(Self { start: place, bytes, protection, flags })
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_writable(&self) -> bool {
        self.protection & PROT_WRITE != 0
    }

    /// Where a byte stands.
    ///
    /// # Panics
    /// If it is beyond the end.
    pub(super) fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.bytes);
        // SAFETY: it is within the map, or just behind it.
        unsafe { self.start.as_ptr().add(offset) }
    }

    /// How many of so many bytes from `offset` on are there.
    pub(super) fn bytes_from(&self, offset: usize, wanted_bytes: usize) -> usize {
        self.bytes.saturating_sub(offset).min(wanted_bytes)
    }

    /// A copy of the first bytes, at most so many.
    pub(super) fn copy_of_first(&self, bytes: usize) -> Vec<u8> {
        let mut copy = vec![0; self.bytes_from(0, bytes)];
        // SAFETY: so many are there, and the copy is new.
        unsafe { copy.as_mut_ptr().copy_from_nonoverlapping(self.at(0), copy.len()) };
        copy
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the map is ours; who has it mapped promises not to use pointers into it later.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
