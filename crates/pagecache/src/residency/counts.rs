//! How many pages of a file are resident, and their states.

use std::io;
use std::ops::{AddAssign, Range};

use disk::{CacheCounts, File, FileSystem, Mapping, page_bytes};

use super::Way;

/// Bytes that are mapped at once: 65,536 pages of 4 KiB.
pub(super) const WINDOW_BYTES: u64 = 256 << 20;

/// Counts of some pages in the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages of the file, the last of which may be partial.
    pub pages: u64,
    /// Pages in the page cache.
    pub resident_pages: u64,
    /// The states of the pages; `None` if the kernel does not tell.
    pub states: Option<States>,
}

/// The states of pages that are or were in the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// Resident pages that differ from the disk.
    pub dirty_pages: u64,
    /// Resident pages that are being written now.
    pub write_back_pages: u64,
    /// Evicted pages that the kernel remembers.
    pub evicted_pages: u64,
    /// Those of them that a slightly larger page cache would still have.
    pub recently_evicted_pages: u64,
}

impl AddAssign for States {
    fn add_assign(&mut self, other: Self) {
        self.dirty_pages += other.dirty_pages;
        self.write_back_pages += other.write_back_pages;
        self.evicted_pages += other.evicted_pages;
        self.recently_evicted_pages += other.recently_evicted_pages;
    }
}

impl Counts {
    fn of_cachestat(pages: u64, told: &CacheCounts) -> Self {
        let states = States {
            dirty_pages: told.dirty_pages,
            write_back_pages: told.write_back_pages,
            evicted_pages: told.evicted_pages,
            recently_evicted_pages: told.recently_evicted_pages,
        };
        Self { pages, resident_pages: told.resident_pages, states: Some(states) }
    }
}

/// The number of pages of this many bytes.
pub(super) fn pages_of(bytes: u64) -> u64 {
    bytes.div_ceil(page_bytes() as u64)
}

/// Counts the pages of a file; `None` if the kernel does not tell this user.
///
/// # Errors
/// Those of `fstat(2)`, and of [`count_of`].
pub fn count(file: &File, way: Way) -> io::Result<Option<Counts>> {
    count_of(file, file.len_bytes()?, way)
}

/// The same for a file of known size.
///
/// # Errors
/// Those of `cachestat(2)`, or of `mmap(2)` and `mincore(2)`.
pub fn count_of(file: &File, file_bytes: u64, way: Way) -> io::Result<Option<Counts>> {
    count_in(file, &(0..file_bytes), way)
}

/// The same for some bytes of a file, which begin at a page and are within the file.
///
/// # Errors
/// As of [`count_of`].
pub(crate) fn count_in(file: &File, bytes: &Range<u64>, way: Way) -> io::Result<Option<Counts>> {
    let pages = pages_of(bytes.end - bytes.start);
    if pages == 0 {
        // For cachestat(2), a length of zero means up to the end of the file. No permission is
        // needed for an empty stretch.
        let states = (way != Way::Mincore).then(States::default);
        return Ok(Some(Counts { states, ..Counts::default() }));
    }
    assert!(bytes.start.is_multiple_of(page_bytes() as u64), "{bytes:?}");
    if way == Way::Mincore {
        return count_mapped(file, bytes);
    }
    match file.cache_counts(bytes.start, bytes.end - bytes.start) {
        // On an overlay, the pages belong to another file, so the counts are zero.
        Ok(told) if told == CacheCounts::default() && is_overlaid(file)? => {
            count_mapped(file, bytes)
        }
        Ok(told) => Ok(Some(Counts::of_cachestat(pages, &told))),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => count_mapped(file, bytes),
        // A filter of system calls may refuse cachestat(2) and permit mincore(2).
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => count_mapped(file, bytes),
        Err(error) => Err(error),
    }
}

/// Whether the pages of a file belong to another file below it, for which `cachestat(2)` counts
/// zero.
pub(super) fn is_overlaid(file: &File) -> io::Result<bool> {
    Ok(file.file_system()? == FileSystem::Overlay)
}

fn count_mapped(file: &File, bytes: &Range<u64>) -> io::Result<Option<Counts>> {
    if !file.shows_residency()? {
        return Ok(None);
    }
    let (mut resident_pages, mut flags) = (0, Vec::new());
    for from in bytes.clone().step_by(WINDOW_BYTES as usize) {
        let window = (bytes.end - from).min(WINDOW_BYTES) as usize;
        Mapping::of(file, from, window)?.residency(&mut flags)?;
        resident_pages += flags.iter().filter(|flag| **flag & 1 == 1).count() as u64;
    }
    Ok(Some(Counts { pages: pages_of(bytes.end - bytes.start), resident_pages, states: None }))
}
