//! What the page cache has of a stretch: counted by `cachestat(2)`, by `mincore(2)` before Linux 6.5.

use std::io;
use std::ops::Range;

use disk::{File, FileSystem, Mapping, page_bytes};

use super::stretch::pages;

/// Bytes that are mapped at a time: what `mincore(2)` says of them takes 64 KiB.
const WINDOW_BYTES: u64 = 256 << 20;

/// What the page cache has of a stretch, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// In the page cache.
    pub resident_pages: u64,
    /// Of these, those that are not yet on disk; `None` where the kernel cannot tell (before 6.5).
    pub dirty_pages: Option<u64>,
    /// Of these, those that are being written; `None` as above.
    pub write_back_pages: Option<u64>,
}

impl Presence {
    /// Counts the pages of a stretch that begins at a page; `None` where the kernel does not tell
    /// this user. Touches none of them.
    pub(super) fn of(file: &File, bytes: &Range<u64>) -> io::Result<Option<Self>> {
        if bytes.is_empty() {
            return Ok(Some(Self {
                dirty_pages: Some(0),
                write_back_pages: Some(0),
                ..Self::default()
            }));
        }
        match file.cache_counts(bytes.start, bytes.end - bytes.start) {
            // There the pages are another file's, and nobody has counted them.
            Ok(counts)
                if counts.resident_pages == 0 && file.file_system()? == FileSystem::Overlay =>
            {
                Self::by_map(file, bytes)
            }
            Ok(counts) => Ok(Some(Self {
                resident_pages: counts.resident_pages,
                dirty_pages: Some(counts.dirty_pages),
                write_back_pages: Some(counts.write_back_pages),
            })),
            Err(error) if is_refused(&error) => Ok(None),
            // Not this kernel, or not this file system.
            Err(_) => Self::by_map(file, bytes),
        }
    }

    fn by_map(file: &File, bytes: &Range<u64>) -> io::Result<Option<Self>> {
        let resident = resident_pages(file, bytes)?;
        Ok(resident.map(|resident_pages| Self { resident_pages, ..Self::default() }))
    }
}

/// Pages of a stretch that begins at a page that are resident and have been read whole; `None`
/// where the kernel does not tell this user.
pub(super) fn resident_pages(file: &File, bytes: &Range<u64>) -> io::Result<Option<u64>> {
    if !file.shows_residency()? {
        return Ok(None);
    }
    let (mut resident, mut flags) = (0, Vec::new());
    let mut from = bytes.start;
    while from < bytes.end {
        let to = bytes.end.min(from + WINDOW_BYTES);
        resident_flags(file, &(from..to), &mut flags)?;
        resident += flags.iter().filter(|flag| **flag & 1 == 1).count() as u64;
        from = to;
    }
    assert!(resident <= pages(bytes, page_bytes() as u64));
    Ok(Some(resident))
}

/// Whether one page is resident. To be asked only where the kernel tells.
pub(super) fn is_resident(file: &File, page: u64) -> io::Result<bool> {
    let page_bytes = page_bytes() as u64;
    let mut flags = Vec::new();
    resident_flags(file, &(page * page_bytes..(page + 1) * page_bytes), &mut flags)?;
    Ok(flags.first().is_some_and(|flag| flag & 1 == 1))
}

/// Sets one byte a page, as `mincore(2)` does. The stretch is one window at most.
pub(super) fn resident_flags(
    file: &File,
    bytes: &Range<u64>,
    flags: &mut Vec<u8>,
) -> io::Result<()> {
    let length = usize::try_from(bytes.end - bytes.start).map_err(io::Error::other)?;
    Mapping::of(file, bytes.start, length)?.residency(flags)
}

fn is_refused(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}
