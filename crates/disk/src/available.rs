//! How much memory and disk space the machine has available.

use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::StatVfs;

/// Above this size, memory and disk space are checked for availability before they are taken.
const LARGE_BYTES: u64 = 64 << 20;

/// Memory available without swapping, as the kernel estimates it (`MemAvailable` of
/// `/proc/meminfo`), in bytes; `None` if the kernel does not tell.
#[must_use]
pub fn memory_available_bytes() -> Option<u64> {
    // It is the third line: what follows need not be read.
    let mut first = [0; 256];
    let file = std::fs::File::open("/proc/meminfo").ok()?;
    let length = (&file).read(&mut first).ok()?;
    let text = str::from_utf8(first.get(..length)?).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Refuses a new file in a directory if its file system has fewer free bytes.
///
/// Trying to write the file instead may take hours, and on ext4 it leaves no space for other
/// programs meanwhile.
///
/// # Errors
///
/// `StorageFull`, which tells how much is free; those of `statvfs(3)`.
pub fn check_room(directory: &Path, bytes: u64) -> io::Result<()> {
    check_room_of(bytes, || Ok(rustix::fs::statvfs(directory)?))
}

/// The same check for an open file that is to grow by `bytes`.
pub(crate) fn check_room_for(file: impl AsFd, bytes: u64) -> io::Result<()> {
    check_room_of(bytes, || Ok(rustix::fs::fstatvfs(file)?))
}

fn check_room_of(bytes: u64, look: impl FnOnce() -> io::Result<StatVfs>) -> io::Result<()> {
    if bytes <= LARGE_BYTES {
        return Ok(());
    }
    let found = look()?;
    // Including the blocks that only root may use.
    let free = found.f_bfree.saturating_mul(found.f_frsize);
    // A file system that tells no number of blocks does not tell its free space.
    if found.f_blocks == 0 || free >= bytes {
        return Ok(());
    }
    let words = format!("{bytes} bytes are needed on the disk, and {free} are free");
    Err(io::Error::new(io::ErrorKind::StorageFull, words))
}

/// A buffer of zeros.
///
/// The kernel promises more memory than it has, and kills a process that uses it. So a size that
/// comes from a file is first compared with the available memory.
///
/// # Errors
///
/// `OutOfMemory`: less memory is available.
pub fn zeroed(bytes: u64) -> io::Result<Vec<u8>> {
    let available_bytes = match bytes {
        ..=LARGE_BYTES => None,
        _ => memory_available_bytes(),
    };
    let lacking = || {
        let words = match available_bytes {
            Some(available) => {
                format!("{bytes} bytes are needed in memory, and {available} are available")
            }
            None => format!("{bytes} bytes are needed in memory, and cannot be had"),
        };
        io::Error::new(io::ErrorKind::OutOfMemory, words)
    };
    if available_bytes.is_some_and(|available| available < bytes) {
        return Err(lacking());
    }
    let size = usize::try_from(bytes).map_err(|_| lacking())?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(size).map_err(|_| lacking())?;
    buffer.resize(size, 0);
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::{memory_available_bytes, zeroed};

    #[test]
    fn what_is_not_there_is_not_given() {
        assert!(memory_available_bytes().unwrap() > 0);
        assert_eq!(zeroed(1000).unwrap().len(), 1000);
        let error = zeroed(1 << 60).unwrap_err();
        assert!(error.to_string().starts_with("1152921504606846976 bytes are needed"), "{error}");
    }
}
