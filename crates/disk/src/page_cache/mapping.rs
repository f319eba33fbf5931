//! A mapping of a stretch of a file, used to ask which pages are resident, and to lock them in
//! memory. Nothing is read through it, so a truncated file causes no SIGBUS.
#![expect(unsafe_code)] // mmap(2), mincore(2) and mlock(2) have no safe form

use std::ffi::c_void;
use std::io;

use nix::libc;
use rustix::mm::{MapFlags, ProtFlags};

use super::page_bytes;
use crate::File;

/// A stretch of a file, mapped for reading.
#[derive(Debug)]
pub struct Mapping {
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: the address is that of a mapping that only this value ends, and nothing is read or
// written through it.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `bytes` (at least one) from an offset on, which must be a multiple of the page size.
    ///
    /// # Errors
    /// Those of `mmap(2)`.
    pub fn of(file: &File, offset_bytes: u64, bytes: usize) -> io::Result<Self> {
        let (access, kind) = (ProtFlags::READ, MapFlags::SHARED);
        let anywhere = std::ptr::null_mut();
        // SAFETY: a new mapping at an address of the kernel's choice overlaps no other.
        let address =
            unsafe { rustix::mm::mmap(anywhere, bytes, access, kind, &file.0, offset_bytes)? };
        Ok(Self { address, bytes })
    }

    /// The number of pages, the last of which may be partial.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.bytes.div_ceil(page_bytes())
    }

    /// Sets one byte for each page: its lowest bit tells whether the page is resident
    /// (`mincore(2)`). The answer is valid only if [`File::shows_residency`] is true.
    ///
    /// # Errors
    /// Those of `mincore(2)`.
    pub fn residency(&self, pages: &mut Vec<u8>) -> io::Result<()> {
        pages.resize(self.pages(), 0);
        // SAFETY: the mapping is ours, and the vector has a byte for each of its pages.
        let told = unsafe { libc::mincore(self.address, self.bytes, pages.as_mut_ptr()) };
        if told == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Reads all pages and locks them in memory until the mapping is dropped (`mlock(2)`).
    ///
    /// # Errors
    /// Those of `mlock(2)`; `ENOMEM` beyond `RLIMIT_MEMLOCK`.
    pub fn lock(&self) -> io::Result<()> {
        // SAFETY: the mapping is ours.
        let locked = unsafe { rustix::mm::mlock(self.address, self.bytes) };
        locked.map_err(io::Error::from)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and it is not used after this.
        let ended = unsafe { rustix::mm::munmap(self.address, self.bytes) };
        debug_assert!(ended.is_ok(), "munmap of our own mapping: {ended:?}");
    }
}
