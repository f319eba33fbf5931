//! Names that files have until they are whole, where the file system has no files without a name.
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

/// So many files are written at once that are to get one name.
const NAMES_MAX: u32 = 1000;
/// So many names are looked at for files that are left over. The lowest ones are taken first.
pub(super) const NAMES_LOOKED_AT: u32 = 8;
/// A file that nobody holds is left over once nothing about it has changed for so long. A writer
/// unlocks its file for the moment in which it gets its name.
pub(super) const LEFT_OVER_SECONDS: i64 = 60;

/// A temporary name beside the file's own, so that a rename stays within one file system. The file
/// is removed when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryName {
    pub(super) path: PathBuf,
    /// The name that it is for.
    wanted: PathBuf,
    /// How many others were taken.
    pub(super) nth: u32,
    is_given: bool,
}

impl TemporaryName {
    /// Takes the first name that `make` can make a file under.
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

    /// The file has its own name, and not this one any more.
    pub(super) fn was_given(mut self) {
        self.is_given = true;
    }

    /// Removes what killed processes left of files that were to get the same name.
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

/// Removes files that were to get the name of `path`, are locked by nobody, and have not changed
/// for a while before another file was `made`: so time is that of the file system.
fn remove_left_over(path: &Path, made: Stamp, left_over_seconds: i64) {
    for nth in 0..NAMES_LOOKED_AT {
        let temporary = name(path, nth);
        // What cannot be looked at or removed stays for the next one who makes the file.
        let Ok(found) = std::fs::symlink_metadata(&temporary) else { continue };
        let is_old = found.ctime() <= made.changed_seconds().saturating_sub(left_over_seconds);
        let is_free = || File::open(&temporary, Mode::Update)?.is_locked(Mode::Update);
        if found.is_file() && is_old && matches!(is_free().map(|held| !held), Ok(true)) {
            let _ = std::fs::remove_file(&temporary);
        }
    }
}

/// FNV-1a, of 32 bits.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
