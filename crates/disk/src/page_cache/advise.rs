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

/// A larger file is not held in memory.
const WRITTEN_ANEW_BYTES_MAX: u64 = 1 << 30;

/// Writes a file anew after a sync of it failed, the same bytes in place, and waits until they are
/// on disk.
///
/// Linux takes a page that it could not write for clean. Written again while it is cached, one in
/// blocks that ext4 had only reserved stays unwritten on disk though its sync succeeds; so the file
/// leaves the cache before it is written. The caller has to know that the cache has all of it
/// still: it was made or changed a short time ago. For the moment between the two only this process
/// has the content: a program that reads the file without its lock sees what the disk has. Should
/// this process be killed then, every program does.
///
/// # Errors
/// Those of `open(2)`, `pread(2)`, `pwrite(2)` and `fsync(2)`; `WouldBlock`: another program has
/// the file locked; `FileTooLarge`: it has more than 1 GiB; `OutOfMemory`: there is no room for it.
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
    // All of it: of a stretch the kernel keeps pages that it caches in one piece with others.
    file.advise(Advice::DontNeed, 0, 0)?;
    file.write_at(&content[..read], 0)?;
    file.sync_all()
}
