//! Reads and writes that leave the page cache unchanged, on every kernel.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::{Advice, File, Mapping};

/// Whether the kernel or a file system was found to lack `RWF_DONTCACHE`.
static WITHOUT: AtomicBool = AtomicBool::new(false);

/// Reads until the buffer is full or the file ends; returns the bytes read. Pages that were in the
/// page cache stay, others are dropped again.
pub(crate) fn read(file: &File, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() && !WITHOUT.load(Ordering::Relaxed) {
        match file.read_uncached_at(&mut buffer[filled..], offset_bytes + filled as u64) {
            Ok(0) => return Ok(filled),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                WITHOUT.store(true, Ordering::Relaxed);
            }
            Err(error) => return Err(error),
        }
    }
    if filled < buffer.len() {
        filled += read_and_drop(file, &mut buffer[filled..], offset_bytes + filled as u64)?;
    }
    Ok(filled)
}

/// For kernels before 6.14: finds out which pages are resident, reads, and drops the others.
fn read_and_drop(file: &File, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
    let page_bytes = disk::page_bytes() as u64;
    let start_bytes = offset_bytes / page_bytes * page_bytes;
    let end_bytes = (offset_bytes + buffer.len() as u64).min(file.len_bytes()?);
    if end_bytes <= offset_bytes {
        return Ok(0);
    }
    let mut resident = Vec::new();
    // If the kernel does not tell residency, nothing is dropped, because another program may use
    // the pages.
    let is_told = file.shows_residency()?
        && Mapping::of(file, start_bytes, (end_bytes - start_bytes) as usize)
            .and_then(|mapping| mapping.residency(&mut resident))
            .is_ok();
    let read = file.read_at(buffer, offset_bytes)?;
    if is_told {
        drop_absent(file, start_bytes, &resident)?;
    }
    Ok(read)
}

fn drop_absent(file: &File, start_bytes: u64, resident: &[u8]) -> io::Result<()> {
    let page_bytes = disk::page_bytes() as u64;
    let mut offset_bytes = start_bytes;
    for run in resident.chunk_by(|a, b| a & 1 == b & 1) {
        let bytes = run.len() as u64 * page_bytes;
        if run[0] & 1 == 0 {
            file.advise(Advice::DontNeed, offset_bytes, bytes)?;
        }
        offset_bytes += bytes;
    }
    Ok(())
}

/// Writes all of `bytes`; their pages are dropped from the page cache once they are on disk.
pub(crate) fn write(file: &File, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() && !WITHOUT.load(Ordering::Relaxed) {
        match file.write_uncached_at(&bytes[written..], offset_bytes + written as u64) {
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                WITHOUT.store(true, Ordering::Relaxed);
            }
            Err(error) => return Err(error),
        }
    }
    if written < bytes.len() {
        let (rest, offset_bytes) = (&bytes[written..], offset_bytes + written as u64);
        file.write_at(rest, offset_bytes)?;
        // Only clean pages can be dropped.
        file.sync_data()?;
        file.advise(Advice::DontNeed, offset_bytes, rest.len() as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_resident_stays_and_the_rest_leaves() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = directory.path().join("file");
        let file = File::create(&path).unwrap();
        let pages = 64;
        file.write_at(&vec![7; pages * 4096], 0).unwrap();
        file.sync_all().unwrap();
        file.advise(Advice::Random, 0, 0).unwrap();
        file.advise(Advice::DontNeed, 0, 0).unwrap();
        file.read_at(&mut [0; 4096], 8 * 4096).unwrap();
        let residency = || {
            let mut resident = Vec::new();
            let mapping = Mapping::of(&file, 0, pages * 4096).unwrap();
            mapping.residency(&mut resident).unwrap();
            resident.iter().map(|page| page & 1).collect::<Vec<u8>>()
        };
        let before = residency();
        if before.iter().all(|page| *page == 1) {
            return eprintln!("not tested: this file system drops no pages");
        }
        for read in [read, read_and_drop] {
            let mut buffer = vec![0; pages * 4096 + 5];
            assert_eq!(read(&file, &mut buffer, 0).unwrap(), pages * 4096);
            assert!(buffer[..pages * 4096].iter().all(|byte| *byte == 7));
            assert_eq!(residency(), before);
        }
    }
}
