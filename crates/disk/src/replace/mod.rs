//! Writes files that appear as a whole or not at all.

mod past_cache;
mod publish;
mod temporary;

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{AtFlags, CWD, OFlags};
use rustix::io::Errno;

use crate::{File, Mode};
pub use past_cache::PastCache;
pub use publish::publish;
use temporary::{LEFT_OVER_SECONDS, TemporaryName};

/// What a new file must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A power cut: the bytes are on disk before the file gets its name.
    Synced,
    /// The end of this process; the kernel decides when the bytes reach the disk. After a power cut
    /// the file may be empty or cut short. For files that can be made again.
    Cached,
}

/// The bytes of a write: the kernel then caches folios of four pages. Single pages cost half as much
/// again to make; in larger folios ext4 visits so many blocks on each later small write that these
/// become slower.
pub const PIECE_BYTES: usize = 16 << 10;
/// Pieces between two calls of `goes_on`: a MiB.
const ASKED_EVERY_PIECES: usize = 64;

/// Whether a long operation is still wanted. It is called again and again meanwhile.
pub type GoesOn<'a> = &'a dyn Fn() -> bool;

/// Fails if a long operation is not wanted any more.
///
/// # Errors
///
/// `Interrupted`: it is not wanted.
pub fn expect_wanted(goes_on: GoesOn<'_>) -> io::Result<()> {
    if goes_on() {
        return Ok(());
    }
    let words = "given up: the client has gone, or this process ends";
    Err(io::Error::new(io::ErrorKind::Interrupted, words))
}

/// What happens to an existing file of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existing {
    Replaced,
    Kept,
}

/// Writes a file that appears as a whole under `path` and replaces an existing one.
///
/// With [`Durability::Synced`], a power cut leaves the old file or the new one.
///
/// # Errors
///
/// Those of `open(2)`, `write(2)`, `fsync(2)` and `rename(2)`; no file is left behind then.
pub fn replace<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
) -> io::Result<()> {
    replace_while(path, parts, durability, &|| true)
}

/// Like [`replace`], as long as `goes_on` returns true; it is called for every MiB.
///
/// # Errors
/// As [`replace`], and `Interrupted`.
pub fn replace_while<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
    goes_on: GoesOn<'_>,
) -> io::Result<()> {
    put(path, 0o644, Existing::Replaced, |file| fill(file, parts, durability, goes_on))
}

/// Like [`replace`], synced, with the permissions of `model`, and with its owner if the system lets
/// us give files away.
///
/// # Errors
/// As [`replace`], and those of `fchmod(2)`.
pub fn replace_like(path: &Path, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    // Only we may read it until it has its permissions.
    put(path, 0o600, Existing::Replaced, |file| fill_like(file, parts, model))
}

/// Like [`replace_like`], with the existing file as the model. If `path` is a symbolic link, the
/// file that it leads to is replaced.
///
/// # Errors
/// As [`replace_like`], and `NotFound`.
pub fn rewrite(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let is_link = std::fs::symlink_metadata(path)?.is_symlink();
    let path = if is_link { std::fs::canonicalize(path)? } else { path.to_path_buf() };
    replace_like(&path, parts, &std::fs::metadata(&path)?)
}

/// Like [`replace_like`], but refuses to replace an existing file.
///
/// # Errors
/// As [`replace_like`], and `AlreadyExists`.
pub fn create_like(path: &Path, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    put(path, 0o600, Existing::Kept, |file| fill_like(file, parts, model))
}

/// Writes a file that appears as a whole under `path`, and refuses to replace an existing one.
///
/// # Errors
/// As [`replace`], and `AlreadyExists`.
pub fn create_new<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
) -> io::Result<()> {
    create_while(path, parts, durability, &|| true)
}

/// Like [`create_new`], as long as `goes_on` returns true.
///
/// # Errors
/// As [`create_new`], and `Interrupted`.
pub fn create_while<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
    goes_on: GoesOn<'_>,
) -> io::Result<()> {
    put(path, 0o644, Existing::Kept, |file| fill(file, parts, durability, goes_on))
}

/// Writes a file without a name, which vanishes if the process ends, and then names it. If the file
/// system does not support such files, the file has a temporary name meanwhile.
fn put(
    path: &Path,
    mode: u32,
    existing: Existing,
    fill: impl FnOnce(&mut std::fs::File) -> io::Result<()>,
) -> io::Result<()> {
    let is_free = match existing {
        Existing::Kept => true,
        Existing::Replaced => is_free(path)?,
    };
    let Some((mut file, link)) = nameless(path, mode)? else {
        return put_named(path, mode, existing, LEFT_OVER_SECONDS, fill);
    };
    fill(&mut file)?;
    if is_free {
        match name(&link, path) {
            // Another process took the name meanwhile.
            Err(error)
                if existing == Existing::Replaced
                    && error.kind() == io::ErrorKind::AlreadyExists => {}
            named => return named,
        }
    }
    // A link cannot replace an existing name, and a rename needs a name to begin with. So the file
    // gets a temporary name first.
    let (temporary, ()) = TemporaryName::take(path, |temporary| name(&link, temporary))?;
    if temporary.nth > 0 {
        temporary.remove_left_over(LEFT_OVER_SECONDS);
    }
    std::fs::rename(&temporary.path, path)?;
    temporary.was_given();
    Ok(())
}

/// The same for a file system that does not support files without a name: while the file is
/// written, it has a temporary name and is locked.
fn put_named(
    path: &Path,
    mode: u32,
    existing: Existing,
    left_over_seconds: i64,
    fill: impl FnOnce(&mut std::fs::File) -> io::Result<()>,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    let (temporary, file) = TemporaryName::take(path, |temporary| options.open(temporary))?;
    let mut file = File::from_std(file);
    let _ = file.try_lock(Mode::Update); // a file system without locks gets none, and asks for none
    temporary.remove_left_over(left_over_seconds);
    fill(&mut file.0)?;
    // Another program that finds the file under its final name must find it unlocked, so it is
    // unlocked before the rename. Between the two, only its age protects it from removal as a
    // leftover. This change makes it young.
    let _ = file.0.metadata().and_then(|facts| file.0.set_permissions(facts.permissions()));
    drop(file);
    match existing {
        Existing::Replaced => {
            std::fs::rename(&temporary.path, path)?;
            temporary.was_given();
            Ok(())
        }
        Existing::Kept => std::fs::hard_link(&temporary.path, path),
    }
}

/// Whether nothing has the name. Refuses to replace a device or a pipe, which a rename would do.
fn is_free(path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        // For a directory, the error of the rename itself is clear.
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let words = "it is no regular file, which is left as it is";
            Err(io::Error::new(io::ErrorKind::InvalidInput, words))
        }
        // A link to nothing has the name all the same, which naming the file will tell.
        Err(error) => Ok(error.kind() == io::ErrorKind::NotFound),
        Ok(_) => Ok(false),
    }
}

/// A file without a name in the directory of `path`, and the link through which it can be named;
/// `None` if the system does not support it.
fn nameless(path: &Path, mode: u32) -> io::Result<Option<(std::fs::File, PathBuf)>> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut options = OpenOptions::new();
    options.write(true).mode(mode).custom_flags(OFlags::TMPFILE.bits().cast_signed());
    match options.open(directory.unwrap_or(Path::new("."))) {
        Ok(file) => {
            let link = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            // Without /proc the file could not be named later.
            static HAS_PROC: OnceLock<bool> = OnceLock::new();
            Ok(HAS_PROC.get_or_init(|| link.exists()).then_some((file, link)))
        }
        // Old kernels and some file systems ignore the flag and treat the call as opening a
        // directory.
        Err(error)
            if matches!(
                Errno::from_io_error(&error),
                Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Gives a file without a name a name that must be free.
fn name(link: &Path, path: &Path) -> io::Result<()> {
    Ok(rustix::fs::linkat(CWD, link, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

fn fill<'a>(
    file: &mut std::fs::File,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
    goes_on: GoesOn<'_>,
) -> io::Result<()> {
    write_pieces(file, parts, goes_on)?;
    match durability {
        Durability::Synced => file.sync_data(),
        Durability::Cached => Ok(()),
    }
}

fn fill_like(file: &mut std::fs::File, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    write_pieces(file, parts.iter().copied(), &|| true)?;
    let _ = fchown(&*file, Some(model.uid()), Some(model.gid())); // only root may give files away
    file.set_permissions(model.permissions())?;
    file.sync_all()
}

fn write_pieces<'a>(
    file: &mut std::fs::File,
    parts: impl IntoIterator<Item = &'a [u8]>,
    goes_on: GoesOn<'_>,
) -> io::Result<()> {
    for (nth, piece) in parts.into_iter().flat_map(|part| part.chunks(PIECE_BYTES)).enumerate() {
        if nth % ASKED_EVERY_PIECES == ASKED_EVERY_PIECES - 1 {
            expect_wanted(goes_on)?;
        }
        file.write_all(piece)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::temporary::NAMES_LOOKED_AT;
    use super::*;

    const PAGE_BYTES: usize = 4096;
    const PAGE: [u8; PAGE_BYTES] = [7; PAGE_BYTES];

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// If the process ends while a file is written, nothing is left of the file.
    #[test]
    fn a_file_has_no_name_until_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        // Pages that check the directory while they are written.
        let pages = |expected: &'static [&'static str]| {
            let root = directory.path().to_path_buf();
            std::iter::repeat_with(move || {
                assert_eq!(names(&root), expected);
                &PAGE[..]
            })
        };
        create_new(&path, pages(&[]).take(9), Durability::Synced).unwrap();
        let again = create_new(&path, pages(&["file"]).take(1), Durability::Cached);
        assert_eq!(again.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 9 * PAGE_BYTES as u64);
        replace(&path, pages(&["file"]).take(5), Durability::Cached).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 5 * PAGE_BYTES as u64);
        assert_eq!(names(directory.path()), ["file"]);
        // One whose name another process took while it was written.
        let other = directory.path().join("other");
        let taking = std::iter::repeat_with(|| {
            std::fs::write(&other, "theirs").unwrap();
            &PAGE[..]
        });
        replace(&other, taking.take(1), Durability::Cached).unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), PAGE);
        assert_eq!(names(directory.path()), ["file", "other"]);
    }

    /// As root, a rename would replace /dev/null by a file.
    #[test]
    fn only_a_file_gives_way_to_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        let null = directory.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        for path in [&pipe, &link, &null] {
            let before = std::fs::symlink_metadata(path).unwrap().file_type();
            let refused = replace(path, [&PAGE[..]], Durability::Cached).unwrap_err();
            assert_eq!(refused.to_string(), "it is no regular file, which is left as it is");
            assert_eq!(std::fs::symlink_metadata(path).unwrap().file_type(), before);
        }
        // A link to a file, or to nothing, is replaced as before.
        let other = directory.path().join("other");
        std::os::unix::fs::symlink("nowhere", &other).unwrap();
        replace(&other, [&PAGE[..]], Durability::Cached).unwrap();
        assert_eq!(names(directory.path()), ["link", "null", "other", "pipe"]);
    }

    /// Writes a file as on a file system that does not support files without a name.
    fn put_slowly(path: &Path, existing: Existing, work: impl FnOnce()) -> io::Result<()> {
        put_named(path, 0o600, existing, LEFT_OVER_SECONDS, |file| {
            work();
            file.write_all(&PAGE)
        })
    }

    #[test]
    fn a_file_with_a_temporary_name_is_locked_while_it_is_written_and_not_after() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        for existing in [Existing::Kept, Existing::Replaced] {
            let look = || {
                let all = names(directory.path());
                let temporary = all.iter().find(|name| name.ends_with(".new")).unwrap();
                let file = File::open(&directory.path().join(temporary), Mode::Update).unwrap();
                assert!(file.is_locked(Mode::Update).unwrap());
                // Another writer that makes the same file meanwhile does not touch it.
                let other = put_slowly(&path, Existing::Replaced, || ());
                other.unwrap();
                assert!(names(directory.path()).contains(temporary));
                if existing == Existing::Kept {
                    std::fs::remove_file(&path).unwrap();
                }
            };
            put_slowly(&path, existing, look).unwrap();
            assert_eq!(names(directory.path()), ["file"]);
            assert!(!File::open(&path, Mode::Update).unwrap().is_locked(Mode::Update).unwrap());
        }
        let kept = put_slowly(&path, Existing::Kept, || ()).unwrap_err();
        assert_eq!(kept.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(directory.path()), ["file"]);
    }

    /// A killed process leaves its file under the temporary name, without its lock.
    #[test]
    fn what_a_killed_process_left_is_removed_when_the_file_is_made_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let leave = |nth| std::fs::write(temporary::name(&path, nth), "half").unwrap();
        [0, 1, NAMES_LOOKED_AT - 1].into_iter().for_each(leave);
        // Names that look like temporary ones and are not, and one that belongs to another file.
        assert_eq!(temporary::name(Path::new("port.rrd"), 0), Path::new("port.rrd.0.bd520b60.new"));
        let others = ["file.0.new", "file.123.0.new", "file.0.00000000.new"];
        others.iter().for_each(|name| std::fs::write(directory.path().join(name), "").unwrap());
        let of_another = temporary::name(&directory.path().join("other"), 0);
        std::fs::write(&of_another, "").unwrap();
        // Another writer is still writing this one.
        leave(2);
        let being_written = temporary::name(&path, 2);
        let held = File::open(&being_written, Mode::Update).unwrap();
        assert!(held.try_lock(Mode::Update).unwrap());
        // Too young to be removed.
        put_slowly(&path, Existing::Replaced, || ()).unwrap();
        assert_eq!(names(directory.path()).len(), 1 + 4 + others.len() + 1);
        // As if time had passed.
        let put_later =
            || put_named(&path, 0o600, Existing::Replaced, 0, |file| file.write_all(&PAGE));
        put_later().unwrap();
        let mut left = names(directory.path());
        left.retain(|name| name != "file" && !others.contains(&name.as_str()));
        let file_name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected = vec![file_name(&being_written), file_name(&of_another)];
        expected.sort();
        assert_eq!(left, expected);
        drop(held);
        put_later().unwrap();
        assert!(!being_written.exists());
    }

    #[test]
    fn a_file_that_is_not_wanted_any_more_is_given_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let asked = std::cell::Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let endless = std::iter::repeat(&PAGE[..]);
        let given_up = create_while(&path, endless.clone(), Durability::Cached, &goes_on);
        assert_eq!(given_up.unwrap_err().kind(), io::ErrorKind::Interrupted);
        assert!(names(directory.path()).is_empty());
        std::fs::write(&path, "old").unwrap();
        assert!(replace_while(&path, endless, Durability::Synced, &|| false).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["file"]);
    }
}
