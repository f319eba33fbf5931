//! Temporary names of files that are being written, for file systems that do not support files
//! without a name.
//!
//! ```text
//! port.rrd.0.bd520b60.new
//! |        | '- checksum of all before it: no other program makes such a name
//! |        '- number, so that several writers of one file do not meet
//! '- the name that it is to get
//! ```
//!
//! A writer holds a lock on its file. A process that is killed leaves the file and not the lock:
//! the next process that makes the same file removes it.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::{File, Mode, Stamp};

/// The most files of one name that are written at the same time.
const NAMES_MAX: u32 = 1000;
/// How many names are checked for leftovers. The lowest numbers are used first.
pub(super) const NAMES_LOOKED_AT: u32 = 8;
/// An unlocked file is a leftover if nothing about it has changed for this long. A writer's file is
/// unlocked only for the moment in which it gets its name.
pub(super) const LEFT_OVER_SECONDS: i64 = 60;

/// A temporary name beside the final one, so that the rename stays within one file system. The file
/// is removed when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryName {
    pub(super) path: PathBuf,
    /// The final name.
    wanted: PathBuf,
    /// How many lower numbers were taken.
    pub(super) nth: u32,
    is_given: bool,
}

impl TemporaryName {
    /// Tries numbers until `make` succeeds in making a file under the name.
    pub(super) fn take<T>(
        path: &Path,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for nth in 0..NAMES_MAX {
            let temporary = name(path, nth);
            match make(&temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                made => {
                    let made = made?;
                    let wanted = path.into();
                    return Ok((Self { path: temporary, wanted, nth, is_given: false }, made));
                }
            }
        }
        Err(taken)
    }

    /// The file has been renamed, so this does not remove it.
    pub(super) fn was_given(mut self) {
        self.is_given = true;
    }

    /// Removes files that killed processes left under temporary names of the same file.
    pub(super) fn remove_left_over(&self, left_over_seconds: i64) {
        if let Ok(made) = File::stamp_of(&self.path) {
            remove_left_over(&self.wanted, made, left_over_seconds);
        }
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if !self.is_given {
            let _ = std::fs::remove_file(&self.path); // the next process that makes the file tries again
        }
    }
}

/// The nth temporary name of a file.
pub(super) fn name(path: &Path, nth: u32) -> PathBuf {
    let mut checked = path.file_name().unwrap_or_default().to_owned();
    checked.push(format!(".{nth}."));
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{nth}.{:08x}.new", checksum(checked.as_bytes())));
    name.into()
}

/// Removes temporary files of `path` that are not locked and have not changed for a while before
/// `made`, the time of another new file. So both times are by the file system's clock.
fn remove_left_over(path: &Path, made: Stamp, left_over_seconds: i64) {
    for nth in 0..NAMES_LOOKED_AT {
        let temporary = name(path, nth);
        // If one cannot be inspected or removed, the next writer of the file tries again.
        let Ok(found) = std::fs::symlink_metadata(&temporary) else { continue };
        let is_old = found.ctime() <= made.changed_seconds().saturating_sub(left_over_seconds);
        let is_free = || File::open(&temporary, Mode::Update)?.is_locked(Mode::Update);
        if found.is_file() && is_old && matches!(is_free().map(|held| !held), Ok(true)) {
            let _ = std::fs::remove_file(&temporary);
        }
    }
}

/// FNV-1a of 32 bits.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
