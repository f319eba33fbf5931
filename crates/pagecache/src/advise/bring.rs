//! Loads pages into the page cache, and locks them there.

use std::io;

use disk::{Advice, File, Mapping, page_bytes};

use super::stretch::{Stretch, pages, touched_pages};
use crate::residency::{Way, count_in};

/// Bytes asked for in one call. The kernel silently shortens a longer request to the device's
/// readahead or its largest request, whichever is more. 128 KiB is the usual readahead, and few
/// devices have less.
const ASKED_BYTES: u64 = 128 << 10;
/// Bytes read in one call.
const READ_BYTES: usize = 1 << 20;

/// Begins to read a stretch into the page cache without waiting (`POSIX_FADV_WILLNEED`). Returns
/// the number of pages that the stretch touches.
///
/// # Errors
/// Those of `posix_fadvise(2)`.
pub fn ask_for(file: &File, stretch: Stretch) -> io::Result<u64> {
    let (file_bytes, page_bytes) = (file.len_bytes()?, page_bytes() as u64);
    let bytes = touched_pages(&stretch.within(file_bytes), file_bytes, page_bytes);
    let mut from = bytes.start;
    while from < bytes.end {
        let length = ASKED_BYTES.min(bytes.end - from);
        file.advise(Advice::WillNeed, from, length)?;
        from += length;
    }
    Ok(pages(&bytes, page_bytes))
}

/// The resident pages of a stretch, without those still being read; `None` if the kernel does not
/// tell this user.
///
/// # Errors
/// Those of `mmap(2)` and `mincore(2)`.
pub fn loaded_pages(file: &File, stretch: Stretch) -> io::Result<Option<u64>> {
    let file_bytes = file.len_bytes()?;
    let bytes = touched_pages(&stretch.within(file_bytes), file_bytes, page_bytes() as u64);
    // cachestat(2) counts a page as soon as its read begins; mincore(2) only when the read is done.
    let counts = count_in(file, &bytes, Way::Mincore)?;
    Ok(counts.map(|counts| counts.resident_pages))
}

/// Reads a stretch, so that it is in the page cache. Returns the number of pages that the stretch
/// touches.
///
/// # Errors
/// Those of `pread(2)`.
pub fn touch(file: &File, stretch: Stretch) -> io::Result<u64> {
    let (file_bytes, page_bytes) = (file.len_bytes()?, page_bytes() as u64);
    let bytes = touched_pages(&stretch.within(file_bytes), file_bytes, page_bytes);
    let mut buffer = vec![0; READ_BYTES.min((bytes.end - bytes.start) as usize)];
    let mut from = bytes.start;
    while from < bytes.end {
        let length = buffer.len().min((bytes.end - from) as usize);
        let read = file.read_at(&mut buffer[..length], from)?;
        from += read as u64;
        if read < length {
            break; // truncated meanwhile
        }
    }
    Ok(pages(&(bytes.start..from), page_bytes))
}

/// Reads a stretch and locks it in memory until the mapping is dropped; `None` if the stretch is
/// empty.
///
/// # Errors
/// Those of `mmap(2)` and `mlock(2)`.
pub fn lock(file: &File, stretch: Stretch) -> io::Result<Option<Mapping>> {
    let file_bytes = file.len_bytes()?;
    let bytes = touched_pages(&stretch.within(file_bytes), file_bytes, page_bytes() as u64);
    if bytes.is_empty() {
        return Ok(None);
    }
    let length = usize::try_from(bytes.end - bytes.start).map_err(io::Error::other)?;
    let mapping = Mapping::of(file, bytes.start, length)?;
    mapping.lock()?;
    Ok(Some(mapping))
}
