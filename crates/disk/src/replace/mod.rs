//! Whole files that appear at once or not at all.

mod publish;
mod temporary;

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags};
use rustix::io::Errno;

use crate::{File, Mode};
pub use publish::publish;
use temporary::{LEFT_OVER_SECONDS, TemporaryName};

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
/// A MiB.
const ASKED_EVERY_PAGES: usize = 256;

/// Whether to go on with what takes long; asked again and again meanwhile.
pub type GoesOn<'a> = &'a dyn Fn() -> bool;

/// Ends what takes long, unless it is to go on.
///
/// # Errors
/// `Interrupted`: it is not.
pub fn expect_wanted(goes_on: GoesOn<'_>) -> io::Result<()> {
    if goes_on() {
        return Ok(());
    }
    let words = "given up: nobody waits for it any more, or this process ends";
    Err(io::Error::new(io::ErrorKind::Interrupted, words))
}

/// What is done with a file of that name that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existing {
    Replaced,
    Kept,
}

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
    replace_while(path, parts, durability, &|| true)
}

/// As [`replace`], as long as `goes_on` says so, which is asked for every MiB.
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

/// As [`replace`], synced, with the permissions of `model`, and with its owner where the system
/// lets us give files away.
///
/// # Errors
/// As [`replace`], and those of `fchmod(2)`.
pub fn replace_like(path: &Path, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    // Nobody else may read it before it has its permissions.
    put(path, 0o600, Existing::Replaced, |file| fill_like(file, parts, model))
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
    put(path, 0o600, Existing::Kept, |file| fill_like(file, parts, model))
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
    create_while(path, parts, durability, &|| true)
}

/// As [`create_new`], as long as `goes_on` says so.
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

/// Writes a file without a name, which the end of the process takes back, and then names it. Where
/// the file system has no such files, it has a temporary name meanwhile.
fn put(
    path: &Path,
    mode: u32,
    existing: Existing,
    fill: impl FnOnce(&mut std::fs::File) -> io::Result<()>,
) -> io::Result<()> {
    if existing == Existing::Replaced {
        expect_replaceable(path)?;
    }
    let Some((mut file, link)) = nameless(path, mode)? else {
        return put_named(path, mode, existing, LEFT_OVER_SECONDS, fill);
    };
    fill(&mut file)?;
    match existing {
        Existing::Kept => name(&link, path),
        // A name that is taken cannot be given by a link, and a rename needs a name to begin with.
        Existing::Replaced => {
            let (temporary, ()) = TemporaryName::take(path, |temporary| name(&link, temporary))?;
            if temporary.nth > 0 {
                temporary.remove_left_over(LEFT_OVER_SECONDS);
            }
            std::fs::rename(&temporary.path, path)?;
            temporary.was_given();
            Ok(())
        }
    }
}

/// The same where the file system has no files without a name: the file has a temporary one, and is
/// locked, while it is written.
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
    // Another program that finds the file under its own name must find it unlocked. For the moment
    // until then only its age keeps it from being taken for left over: a change makes it young.
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

/// Whether a file may take the place of what a name leads to. A rename would put it in the place of
/// a device or a pipe, too.
fn expect_replaceable(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        // The rename itself tells what is to be said of a directory.
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let words = "it is no regular file, which is left as it is";
            Err(io::Error::new(io::ErrorKind::InvalidInput, words))
        }
        _ => Ok(()),
    }
}

/// A file without a name in the directory of `path`, and what leads to it nevertheless; `None`
/// where the system has none.
fn nameless(path: &Path, mode: u32) -> io::Result<Option<(std::fs::File, PathBuf)>> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut options = OpenOptions::new();
    options.write(true).mode(mode).custom_flags(OFlags::TMPFILE.bits().cast_signed());
    match options.open(directory.unwrap_or(Path::new("."))) {
        Ok(file) => {
            let link = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            // Without /proc it could not be named later.
            Ok(link.exists().then_some((file, link)))
        }
        // Old kernels and some file systems know the flag only as that of a directory.
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

/// Gives a file without a name one that is free.
fn name(link: &Path, path: &Path) -> io::Result<()> {
    Ok(rustix::fs::linkat(CWD, link, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

fn fill<'a>(
    file: &mut std::fs::File,
    parts: impl IntoIterator<Item = &'a [u8]>,
    durability: Durability,
    goes_on: GoesOn<'_>,
) -> io::Result<()> {
    write_pages(file, parts, goes_on)?;
    match durability {
        Durability::Synced => file.sync_data(),
        Durability::Cached => Ok(()),
    }
}

fn fill_like(file: &mut std::fs::File, parts: &[&[u8]], model: &Metadata) -> io::Result<()> {
    write_pages(file, parts.iter().copied(), &|| true)?;
    let _ = fchown(&*file, Some(model.uid()), Some(model.gid())); // only root may give files away
    file.set_permissions(model.permissions())?;
    file.sync_all()
}

fn write_pages<'a>(
    file: &mut std::fs::File,
    parts: impl IntoIterator<Item = &'a [u8]>,
    goes_on: GoesOn<'_>,
) -> io::Result<()> {
    // Page by page, so that the kernel caches single pages: of a larger folio, ext4 visits every
    // block on each small write that comes later.
    for (nth, page) in parts.into_iter().flat_map(|part| part.chunks(PAGE_BYTES)).enumerate() {
        if nth % ASKED_EVERY_PAGES == ASKED_EVERY_PAGES - 1 {
            expect_wanted(goes_on)?;
        }
        file.write_all(page)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::temporary::NAMES_LOOKED_AT;
    use super::*;

    const PAGE: [u8; PAGE_BYTES] = [7; PAGE_BYTES];

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Whatever ends the process while a file is written, nothing of it is left.
    #[test]
    fn a_file_has_no_name_until_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        // Pages that look at the directory while they are written.
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
    }

    /// As root, a rename would put a file in the place of /dev/null.
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
        // A link to a file, or to nothing, gives way as before.
        let other = directory.path().join("other");
        std::os::unix::fs::symlink("nowhere", &other).unwrap();
        replace(&other, [&PAGE[..]], Durability::Cached).unwrap();
        assert_eq!(names(directory.path()), ["link", "null", "other", "pipe"]);
    }

    /// Writes a file as on a file system that has no files without a name.
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
                // Another one that makes the same file meanwhile leaves it alone.
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

    /// A process that is killed leaves its file under the temporary name, without its lock.
    #[test]
    fn what_a_killed_process_left_is_removed_when_the_file_is_made_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let leave = |nth| std::fs::write(temporary::name(&path, nth), "half").unwrap();
        [0, 1, NAMES_LOOKED_AT - 1].into_iter().for_each(leave);
        // Names that look like ours and are not, and one that belongs to another file.
        assert_eq!(temporary::name(Path::new("port.rrd"), 0), Path::new("port.rrd.0.bd520b60.new"));
        let others = ["file.0.new", "file.123.0.new", "file.0.00000000.new"];
        others.iter().for_each(|name| std::fs::write(directory.path().join(name), "").unwrap());
        let of_another = temporary::name(&directory.path().join("other"), 0);
        std::fs::write(&of_another, "").unwrap();
        // One that is being written by somebody else.
        leave(2);
        let being_written = temporary::name(&path, 2);
        let held = File::open(&being_written, Mode::Update).unwrap();
        assert!(held.try_lock(Mode::Update).unwrap());
        // Too young to tell.
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
    fn a_file_that_nobody_waits_for_is_given_up() {
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
