//! How many pages of a file the page cache holds, and in what state (`cachestat(2)`, Linux 6.5).

use std::io;
use std::os::fd::AsRawFd as _;

use nix::fcntl::AtFlags;
use nix::libc;
use nix::unistd::{AccessFlags, faccessat};
use rustix::thread::CapabilitySet;

use crate::File;

/// `cachestat(2)` has the same number on every architecture.
const CACHESTAT: libc::c_long = 451;

/// Counts of the pages of a stretch in the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CacheCounts {
    /// Pages in the page cache.
    pub resident_pages: u64,
    /// Those of them that differ from the disk and are not being written.
    pub dirty_pages: u64,
    /// Those of them that are being written now.
    pub write_back_pages: u64,
    /// Pages that were evicted and are still remembered by the kernel.
    pub evicted_pages: u64,
    /// Those of them that a slightly larger cache would still have (their refault distance is less
    /// than the size of the workingset).
    pub recently_evicted_pages: u64,
}

#[repr(C)]
struct Stretch {
    offset_bytes: u64,
    bytes: u64,
}

impl File {
    /// Counts the pages of a stretch by their state; 0 bytes mean up to the end of the file. Does
    /// not load or touch a page.
    ///
    /// On an overlay file system the counts are zero, because the pages belong to the file below
    /// ([`File::file_system`]); `mincore(2)` sees them.
    ///
    /// # Errors
    ///
    /// `PermissionDenied` if the kernel does not tell this user ([`File::shows_residency`]);
    /// `Unsupported` if the kernel or the file system does not support the call; those of
    /// `cachestat(2)`.
    #[expect(unsafe_code)] // no library wraps this call
    pub fn cache_counts(&self, offset_bytes: u64, bytes: u64) -> io::Result<CacheCounts> {
        let stretch = Stretch { offset_bytes, bytes };
        let mut counts = CacheCounts::default();
        let (stretch, into) = (&raw const stretch, &raw mut counts);
        // SAFETY: both structures are those of the call, in its layout, and outlive it; the
        // descriptor is open.
        let told = unsafe { libc::syscall(CACHESTAT, self.0.as_raw_fd(), stretch, into, 0) };
        if told == 0 { Ok(counts) } else { Err(io::Error::last_os_error()) }
    }

    /// Whether the kernel tells this user which pages are resident. It tells the owner, users who
    /// may write the file, and holders of `CAP_FOWNER`. To others `mincore(2)` claims that all
    /// pages are resident.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn shows_residency(&self) -> io::Result<bool> {
        let capabilities = rustix::thread::capabilities(None)?;
        if capabilities.effective.contains(CapabilitySet::FOWNER) {
            return Ok(true);
        }
        let owner = rustix::fs::fstat(&self.0)?.st_uid;
        if owner == rustix::process::geteuid().as_raw() {
            return Ok(true);
        }
        // rustix's own function refuses an empty path.
        let flags = AtFlags::AT_EACCESS | AtFlags::AT_EMPTY_PATH;
        Ok(faccessat(&self.0, c"", AccessFlags::W_OK, flags).is_ok())
    }
}
