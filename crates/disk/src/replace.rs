//! Whole files that appear at once or not at all.

use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::File;

/// What a new file survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A power cut: the bytes are on disk before the name leads to them.
    Synced,
    /// The end of this process; when the bytes reach the disk is the kernel's choice. After a power
    /// cut the file may be empty or cut short. For what can be made again.
    Cached,
}

const PAGE_BYTES: usize = 4096;

/// Writes a file that appears under `path` whole, in place of what was there.
///
/// If it is [`Durability::Synced`], a power cut leaves the old file or the new.
///
/// # Errors
/// Those of `open(2)`, `write(2)`, `fsync(2)` and `rename(2)`; nothing is left behind then.
pub fn replace(path: &Path, parts: &[&[u8]], durability: Durability) -> io::Result<()> {
    through_temporary(path, parts, durability, |temporary| std::fs::rename(temporary, path))
}

/// Writes a file that appears under `path` whole, unless there is one already.
///
/// # Errors
/// As [`replace`], and `AlreadyExists`.
pub fn create_new(path: &Path, parts: &[&[u8]], durability: Durability) -> io::Result<()> {
    through_temporary(path, parts, durability, |temporary| {
        std::fs::hard_link(temporary, path)?;
        std::fs::remove_file(temporary)
    })
}

fn through_temporary(
    path: &Path,
    parts: &[&[u8]],
    durability: Durability,
    name_it: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary_name(path);
    let result = write(&temporary, parts, durability).and_then(|()| name_it(&temporary));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary); // the first error is the one to tell
    }
    result
}

fn write(path: &Path, parts: &[&[u8]], durability: Durability) -> io::Result<()> {
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
    // Page by page, so that the kernel caches single pages: of a larger folio, ext4 visits every
    // block on each small write that comes later.
    for page in parts.iter().flat_map(|part| part.chunks(PAGE_BYTES)) {
        file.write_all(page)?;
    }
    match durability {
        Durability::Synced => File::from_std(file).sync_data(),
        Durability::Cached => Ok(()),
    }
}

/// A name beside `path`, so that the rename stays within one file system, with the process id, so
/// that two processes do not meet.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    name.into()
}
