//! Whole files that appear at once or not at all.

use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::File;

/// Writes a file that appears under `path` whole, in place of what was there.
///
/// The bytes are on disk before the name leads to them: a power cut leaves the old file or the new.
///
/// # Errors
/// Those of `open(2)`, `write(2)`, `fsync(2)` and `rename(2)`; nothing is left behind then.
pub fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    through_temporary(path, parts, |temporary| std::fs::rename(temporary, path))
}

/// Writes a file that appears under `path` whole, unless there is one already.
///
/// # Errors
/// As [`replace`], and `AlreadyExists`.
pub fn create_new(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    through_temporary(path, parts, |temporary| {
        std::fs::hard_link(temporary, path)?;
        std::fs::remove_file(temporary)
    })
}

fn through_temporary(
    path: &Path,
    parts: &[&[u8]],
    name_it: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary_name(path);
    let result = write_synced(&temporary, parts).and_then(|()| name_it(&temporary));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary); // the first error is the one to tell
    }
    result
}

fn write_synced(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
    for part in parts {
        file.write_all(part)?;
    }
    File::from_std(file).sync_data()
}

/// A name beside `path`, so that the rename stays within one file system, with the process id, so
/// that two processes do not meet.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    name.into()
}
