//! Reads a few bytes of a file without changing the page cache.

use std::io;

use disk::{Advice, File, page_bytes};

use crate::residency::{PageState, Way, stretches};

/// Reads the first bytes of a file of `file_bytes`, at most a buffer full; returns their number.
/// Resident pages are read from the cache. Other pages are read around the cache or, if the file
/// system does not support that, dropped again afterwards. `None` if the kernel does not tell which
/// pages are resident.
///
/// The descriptor keeps the advice of random access.
///
/// # Errors
///
/// Those of asking for residency, and of `pread(2)`.
pub fn peek(file: &File, file_bytes: u64, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    let wanted_bytes = file_bytes.min(buffer.len() as u64);
    let mut found = Vec::new();
    // Only these bytes are asked about, as if the file ended after them.
    let told = stretches(file, wanted_bytes, Way::Cachestat, &mut |stretch| found.push(stretch))?;
    if !told {
        return Ok(None);
    }
    file.advise(Advice::Random, 0, 0)?;
    let mut filled = 0;
    for stretch in found {
        let from = stretch.first_page as usize * page_bytes();
        let to = (from + stretch.pages as usize * page_bytes()).min(wanted_bytes as usize);
        let read = read_as_it_is(file, &mut buffer[from..to], from as u64, stretch.state)?;
        filled += read;
        if read < to - from {
            break;
        }
    }
    Ok(Some(filled))
}

fn read_as_it_is(
    file: &File,
    buffer: &mut [u8],
    offset_bytes: u64,
    state: PageState,
) -> io::Result<usize> {
    if state.is_resident() {
        return file.read_at(buffer, offset_bytes);
    }
    match read_direct(file, buffer, offset_bytes) {
        Err(error) if is_refusal(&error) => read_and_drop(file, buffer, offset_bytes),
        read => read,
    }
}

/// Reads around the page cache: even what the kernel remembers of evicted pages is unchanged.
fn read_direct(file: &File, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
    let page_bytes = page_bytes();
    let mut room = vec![0; buffer.len().next_multiple_of(page_bytes) + page_bytes];
    let skip = room.as_ptr().align_offset(page_bytes);
    let room_bytes = buffer.len().next_multiple_of(page_bytes);
    let aligned = &mut room[skip..skip + room_bytes];
    file.set_direct(true)?;
    // A single call: a second one at the end of the file would not be aligned.
    let read = file.read_some_at(aligned, offset_bytes);
    file.set_direct(false)?;
    let bytes = read?.min(buffer.len());
    buffer[..bytes].copy_from_slice(&aligned[..bytes]);
    Ok(bytes)
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

fn read_and_drop(file: &File, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
    match file.read_uncached_at(buffer, offset_bytes) {
        Ok(read) if read == buffer.len() => return Ok(read),
        // The read ended early or is not supported: read again through the cache, and drop the
        // pages.
        Ok(_) => {}
        Err(error) if is_refusal(&error) => {}
        Err(error) => return Err(error),
    }
    let read = file.read_at(buffer, offset_bytes)?;
    let whole_pages = buffer.len().next_multiple_of(page_bytes());
    file.advise(Advice::DontNeed, offset_bytes, whole_pages as u64)?;
    Ok(read)
}
