//! How much memory and disk the machine can still give.

use std::io;
use std::path::Path;

/// Answers larger than this are asked for only where the machine says that it has as much.
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

/// Bytes that are free on the file system of a directory, those included that only root may use.
///
/// # Errors
/// Those of `statvfs(3)`.
pub fn free_bytes(directory: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(directory)?;
    Ok(found.f_bfree.saturating_mul(found.f_frsize))
}

/// A buffer of so many zeros.
///
/// The kernel promises memory that it has not, and ends the process that takes it. A size that comes
/// from a file is therefore held against what there is first.
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
