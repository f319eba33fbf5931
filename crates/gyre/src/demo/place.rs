//! The directory of a demo: it holds the demo's configuration and databases and no other files.

use rrdtool::system_words;
use std::fs::File;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The file that marks a demo's directory, whose files may be replaced.
const MARK: &str = "gyre-demo";

/// A demo's directory. It is removed when this is dropped, unless it is to be kept.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    is_kept: bool,
}

/// Why there is no directory.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{}: there are files of something else in it; --dir wants a new or an empty directory, \
         or that of an earlier demo", .0.display()
    )]
    Taken(PathBuf),
    #[error("{}: {source} (--dir says where else, fewer --names take less)", path.display())]
    NoRoom { path: PathBuf, source: io::Error },
    #[error("{}: {}", path.display(), system_words(source))]
    Io { path: PathBuf, source: io::Error },
}

impl Place {
    /// Makes a new temporary directory. Only its owner may read it: the configuration has
    /// communities.
    pub(super) fn temporary(is_kept: bool) -> Result<Self, Error> {
        // An earlier demo that was killed may have left a directory with the same process id.
        let numbers = std::iter::once(String::new()).chain((2..100).map(|nth| format!(".{nth}")));
        let stem = format!("{MARK}-{}", std::process::id());
        let mut paths = numbers.map(|number| std::env::temp_dir().join(stem.clone() + &number));
        let is_taken = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
        let path = paths.find(|path| !is_taken(path)).unwrap_or_else(std::env::temp_dir);
        make(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        let place = Self { path, is_kept };
        place.mark()?;
        Ok(place)
    }

    /// A directory that is kept.
    pub(super) fn at(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Io { path: path.into(), source };
        match make(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(failed)?,
        }
        let is_empty = std::fs::read_dir(path).map_err(failed)?.next().is_none();
        if !is_empty && !path.join(MARK).is_file() {
            return Err(Error::Taken(path.into()));
        }
        // The path is absolute, so that it means the same from every working directory.
        let path = std::path::absolute(path).map_err(failed)?;
        let place = Self { path, is_kept: true };
        place.mark()?;
        Ok(place)
    }

    /// Whether there is room for so many bytes.
    pub(super) fn check_room(&self, bytes: u64) -> Result<(), Error> {
        let path = || self.path.clone();
        disk::check_room(&self.path, bytes).map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull => Error::NoRoom { path: path(), source },
            _ => Error::Io { path: path(), source },
        })
    }

    fn mark(&self) -> Result<(), Error> {
        let text = "A demo of gyre made this directory and may replace what is in it.\n";
        self.write(MARK, text).map(drop)
    }

    /// Writes a file.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// A directory within, made unless an earlier demo made it; whether it is new.
    pub(super) fn directory(&self, name: &str) -> Result<(PathBuf, bool), Error> {
        let path = self.path.join(name);
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((path, false)),
            Err(source) => Err(Error::Io { path, source }),
            Ok(()) => Ok((path, true)),
        }
    }

    /// Makes a file, which replaces an earlier one.
    pub(super) fn create(&self, name: &str) -> Result<(PathBuf, File), Error> {
        let path = self.path.join(name);
        match File::create(&path) {
            Ok(file) => Ok((path, file)),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// The path of the directory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the directory is kept after the demo.
    pub(super) fn is_kept(&self) -> bool {
        self.is_kept
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_kept
            && let Err(error) = std::fs::remove_dir_all(&self.path)
        {
            let why = system_words(&error);
            rrdtool::complain!("{}: cannot be removed: {why}", self.path.display());
        }
    }
}

/// Makes a directory that only its owner may read.
fn make(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_something_else_are_not_touched() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new");
        Place::at(&path).unwrap().write("mrtg.cfg", "first").unwrap();
        // The directory is marked as a demo's now.
        Place::at(&path).unwrap().write("mrtg.cfg", "second").unwrap();
        std::fs::write(root.path().join("somebody's"), "").unwrap();
        assert!(matches!(Place::at(root.path()), Err(Error::Taken(_))));
        assert_eq!(std::fs::read_to_string(path.join("mrtg.cfg")).unwrap(), "second");
    }

    #[test]
    fn room_is_looked_at_before_it_is_taken() {
        let place = Place::temporary(false).unwrap();
        place.check_room(1 << 10).unwrap();
        let why = place.check_room(u64::MAX).unwrap_err().to_string();
        assert!(why.contains("18446744073709551615 bytes are needed on the disk, and "), "{why}");
        assert!(why.ends_with(" are free (--dir says where else, fewer --names take less)"));
    }

    #[test]
    fn a_temporary_place_goes() {
        let place = Place::temporary(false).unwrap();
        let path = place.path().to_owned();
        place.write("mrtg.cfg", "text").unwrap();
        drop(place);
        assert!(!path.exists());
    }
}
