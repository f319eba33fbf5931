//! How much memory and disk the machine can still give.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::StatVfs;

/// Memory and room on the disk beyond this are taken only where the machine says that it has as
/// much.
const LARGE_BYTES: u64 = 64 << 20;

/// Memory that can be had without swapping, as the kernel estimates it (`MemAvailable` of
/// `/proc/meminfo`), in bytes; `None` where it does not say.
#[must_use]
pub fn memory_available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Refuses a new file in a directory where its file system has not so many bytes.
///
/// To find out by taking them may take hours, and on ext4 leaves nothing for others meanwhile.
///
/// # Errors
/// `StorageFull`, with how much there is; those of `statvfs(3)`.
pub fn check_room(directory: &Path, bytes: u64) -> io::Result<()> {
    check_room_of(bytes, || Ok(rustix::fs::statvfs(directory)?))
}

/// The same, for so many bytes more in an open file.
pub(crate) fn check_room_for(file: impl AsFd, bytes: u64) -> io::Result<()> {
    check_room_of(bytes, || Ok(rustix::fs::fstatvfs(file)?))
}

fn check_room_of(bytes: u64, look: impl FnOnce() -> io::Result<StatVfs>) -> io::Result<()> {
    if bytes <= LARGE_BYTES {
        return Ok(());
    }
    let found = look()?;
    // Those blocks included that only root may use.
    let free = found.f_bfree.saturating_mul(found.f_frsize);
    // A file system without a number of blocks does not say what is free.
    if found.f_blocks == 0 || free >= bytes {
        return Ok(());
    }
    let words = format!("{bytes} bytes are needed on the disk, and {free} are free");
    Err(io::Error::new(io::ErrorKind::StorageFull, words))
}

/// A buffer of so many zeros.
///
/// The kernel promises memory that it has not, and ends the process that takes it. A size that
/// comes from a file is therefore held against what there is first.
///
/// # Errors
/// `OutOfMemory`: there is not so much.
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
