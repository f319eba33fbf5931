//! Whole files that appear at once or not at all.

use std::fs::Metadata;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

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
pub fn replace<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
) -> io::Result<()> {
    let write = |temporary: &Path| write(temporary, parts, durability);
    through_temporary(path, write, |temporary| std::fs::rename(temporary, path))
}

/// As [`replace`], synced, with the permissions of `model`, and with its owner where the system
/// lets us give files away.
///
/// # Errors
/// As [`replace`], and those of `fchmod(2)`.
pub fn replace_like(path: &Path, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    let write = |temporary: &Path| write_like(temporary, parts, model);
    through_temporary(path, write, |temporary| std::fs::rename(temporary, path))
}

/// As [`replace_like`], of a file that is there and is its own model. Where `path` is a symbolic
/// link, what it leads to is replaced.
///
/// # Errors
/// As [`replace_like`], and `NotFound`.
pub fn rewrite(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let is_link = std::fs::symlink_metadata(path)?.is_symlink();
    let path = if is_link { std::fs::canonicalize(path)? } else { path.to_path_buf() };
    replace_like(&path, parts, &std::fs::metadata(&path)?)
}

/// As [`replace_like`], unless there is a file already.
///
/// # Errors
/// As [`replace_like`], and `AlreadyExists`.
pub fn create_like(path: &Path, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    through_temporary(
        path,
        |temporary| write_like(temporary, parts, model),
        |temporary| {
            std::fs::hard_link(temporary, path)?;
            std::fs::remove_file(temporary)
        },
    )
}

/// Writes a file that appears under `path` whole, unless there is one already.
///
/// # Errors
/// As [`replace`], and `AlreadyExists`.
pub fn create_new<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
) -> io::Result<()> {
    through_temporary(
        path,
        |temporary| write(temporary, parts, durability),
        |temporary| {
            std::fs::hard_link(temporary, path)?;
            std::fs::remove_file(temporary)
        },
    )
}

fn through_temporary(
    path: &Path,
    write: impl FnOnce(&Path) -> io::Result<()>,
    name_it: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary_name(path);
    let result = write(&temporary).and_then(|()| name_it(&temporary));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary); // the first error is the one to tell
    }
    result
}

fn write<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
) -> io::Result<()> {
    let mut file = create(path, 0o644)?;
    write_pages(&mut file, parts)?;
    match durability {
        Durability::Synced => File::from_std(file).sync_data(),
        Durability::Cached => Ok(()),
    }
}

fn write_like(path: &Path, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    // Nobody else may read it before it has its permissions.
    let mut file = create(path, 0o600)?;
    write_pages(&mut file, parts.iter().copied())?;
    let _ = fchown(&file, Some(model.uid()), Some(model.gid())); // only root may give files away
    file.set_permissions(model.permissions())?;
    file.sync_all()
}

fn create(path: &Path, mode: u32) -> io::Result<std::fs::File> {
    std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

fn write_pages<'a>(
    file: &mut std::fs::File,
    parts: impl IntoIterator<Item = &'a [u8]>,
) -> io::Result<()> {
    // Page by page, so that the kernel caches single pages: of a larger folio, ext4 visits every
    // block on each small write that comes later.
    for page in parts.into_iter().flat_map(|part| part.chunks(PAGE_BYTES)) {
        file.write_all(page)?;
    }
    Ok(())
}

/// A name beside `path`, so that the rename stays within one file system, with the process id and a
/// number, so that two processes and two threads do not meet.
fn temporary_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nth = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.{nth}.new", std::process::id()));
    name.into()
}
