//! Names in directories: listing, making, renaming, removing, one call each.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Gid, RenameFlags, Uid};

use crate::inode::modified_at;
use crate::{FileFacts, FileKind};

/// The names in a directory with their kinds, in the order of their bytes.
///
/// # Errors
/// Those of `opendir(3)`, `readdir(3)` and `lstat(2)`.
pub fn names_in(directory: &Path) -> io::Result<Vec<(OsString, FileKind)>> {
    let mut names = listing(directory)?.collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(names)
}

/// The names in a directory with their kinds, one at a time and in no order, for callers that may
/// stop early.
///
/// # Errors
/// Those of `opendir(3)`; of each name, those of `readdir(3)` and `lstat(2)`.
pub fn listing(
    directory: &Path,
) -> io::Result<impl Iterator<Item = io::Result<(OsString, FileKind)>>> {
    Ok(std::fs::read_dir(directory)?.map(|entry| {
        let entry = entry?;
        // Most file systems tell the kind with the name.
        Ok((entry.file_name(), FileKind::of_listed(entry.file_type()?)))
    }))
}

/// Makes a directory that only its owner may read; its parent must exist.
///
/// # Errors
/// `AlreadyExists`, and those of `mkdir(2)`.
pub fn create_single_directory(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

/// Sets the permissions and time of a directory, and its owner if the system permits.
///
/// # Errors
/// Those of `chmod(2)` and `utimensat(2)`.
pub fn set_directory(path: &Path, facts: &FileFacts) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(facts.user), Gid::from_raw(facts.group));
    let _ = rustix::fs::chown(path, Some(user), Some(group)); // only root may give files away
    rustix::fs::chmod(path, facts.permissions.into())?;
    let modified = modified_at(facts.modified);
    Ok(rustix::fs::utimensat(CWD, path, &modified, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Makes a symbolic link.
///
/// # Errors
/// `AlreadyExists`, and those of `symlink(2)`.
pub fn create_link(target: &OsStr, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// The target of a symbolic link.
///
/// # Errors
/// Those of `readlink(2)`.
pub fn link_target(path: &Path) -> io::Result<PathBuf> {
    std::fs::read_link(path)
}

/// Removes a file's name.
///
/// # Errors
/// Those of `unlink(2)`.
pub fn remove_file(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// Renames a file; replaces a file that has the new name.
///
/// # Errors
/// Those of `rename(2)`.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

/// Renames a file to a free name (`renameat2(2)` with `RENAME_NOREPLACE`).
///
/// # Errors
///
/// `AlreadyExists`, and those of `renameat2(2)`; `InvalidInput` if the file system does not support
/// it.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Waits until the names of a directory are on disk (`fsync(2)`).
///
/// # Errors
/// Those of `fsync(2)`.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    std::fs::File::open(path)?.sync_all()
}
