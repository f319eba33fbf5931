//! Advice to the kernel about a file (`posix_fadvise(2)`), and waiting until a file is on disk.

use std::io;
use std::num::NonZeroU64;
use std::path::Path;

use super::Advice;
use crate::{File, Mode};

impl File {
    /// Gives an advice about a stretch of the file; 0 bytes mean up to its end.
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    pub fn advise(&self, advice: Advice, offset_bytes: u64, bytes: u64) -> io::Result<()> {
        let advice = advice.of_kernel();
        Ok(rustix::fs::fadvise(&self.0, offset_bytes, NonZeroU64::new(bytes), advice)?)
    }

    /// Waits until data and metadata are on disk (`fsync(2)`).
    ///
    /// # Errors
    /// Those of `fsync(2)`.
    pub fn sync_all(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}

/// Larger files are refused: the content is held in memory.
const WRITTEN_ANEW_BYTES_MAX: u64 = 1 << 30;

/// After a failed sync, writes a file's bytes again in place, and waits until they are on disk.
///
/// Linux marks a page that it could not write as clean. If the page is in blocks that ext4 had only
/// reserved, and it is written again while cached, it stays unwritten on disk although its sync
/// succeeds. So the file is dropped from the page cache before it is written. The caller must be
/// sure that the cache still has all of it, because it was made or changed a short time ago.
/// Between dropping and writing only this process has the content: a program that reads the file
/// without its lock sees the disk's content, and if this process is killed then, all programs do.
///
/// # Errors
/// Those of `open(2)`, `pread(2)`, `pwrite(2)` and `fsync(2)`. `WouldBlock`: another program has
/// the file locked. `FileTooLarge`: it has more than 1 GiB. `OutOfMemory`: its content does not fit
/// in memory.
pub fn write_anew(path: &Path) -> io::Result<()> {
    let file = File::open(path, Mode::Update)?;
    if !file.try_lock(Mode::Update)? {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let bytes = file.len_bytes()?;
    if bytes > WRITTEN_ANEW_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut content = crate::zeroed(bytes)?;
    let read = file.read_at(&mut content, 0)?;
    // The whole file: from a smaller stretch the kernel keeps pages that are cached in one folio
    // with pages outside.
    file.advise(Advice::DontNeed, 0, 0)?;
    file.write_at(&content[..read], 0)?;
    file.sync_all()
}
