//! The directory that pages are written to. Nothing is written outside of it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use disk::Durability;
use rrdtool::{Failure, system_words};

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error("{}: it leads out of the directory of pages", .0.display())]
    LeadsOut(PathBuf),
    #[error("{}: {}", .0.display(), system_words(.1))]
    System(PathBuf, io::Error),
}

/// A directory, and which directories below it were found to be there.
pub(super) struct Directory {
    /// Without links.
    root: PathBuf,
    known: Mutex<HashSet<PathBuf>>,
}

impl Directory {
    /// Opens a directory, which is made if it is missing.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let made = disk::create_directory(path).and_then(|()| path.canonicalize());
        let root = made.map_err(Failure::at(path.display()))?;
        Ok(Self { root, known: Mutex::default() })
    }

    /// Writes a file that appears as a whole, and makes the directories that lead to it. The name
    /// is relative.
    ///
    /// # Errors
    /// A link in its name leads out of the directory, or the system fails.
    pub(super) fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), WriteError> {
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            self.prepare(parent)?;
        }
        disk::replace(&path, [bytes], Durability::Cached)
            .map_err(|error| WriteError::System(path, error))
    }

    /// Gives a written file a time of its own, in seconds since 1970.
    ///
    /// # Errors
    /// The system fails.
    pub(super) fn set_time(&self, name: &Path, seconds: i64) -> Result<(), WriteError> {
        let path = self.root.join(name);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.max(0).unsigned_abs());
        let opened = fs::File::options().write(true).open(&path);
        opened
            .and_then(|file| file.set_modified(time))
            .map_err(|error| WriteError::System(path, error))
    }

    /// When a file was written, and the time that it was given; `None` if there is none.
    pub(super) fn times(&self, name: &Path) -> Option<FileTimes> {
        let facts =
            fs::symlink_metadata(self.root.join(name)).ok().filter(fs::Metadata::is_file)?;
        Some(FileTimes { written_seconds: facts.ctime(), given_seconds: facts.mtime() })
    }

    /// Makes a directory below the root, if it is missing.
    fn prepare(&self, directory: &Path) -> Result<(), WriteError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if directory == self.root || known().contains(directory) {
            return Ok(());
        }
        let below = directory.strip_prefix(&self.root).map_err(|_| leads_out(directory))?;
        let mut path = self.root.clone();
        for part in below.components() {
            let Component::Normal(part) = part else { return Err(leads_out(directory)) };
            path.push(part);
            self.step(&path)?;
        }
        known().insert(directory.to_path_buf());
        Ok(())
    }

    /// Makes one directory, or finds that what is there does not lead out.
    fn step(&self, path: &Path) -> Result<(), WriteError> {
        let made = match fs::create_dir(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => path.canonicalize(),
            made => made.map(|()| path.to_path_buf()),
        };
        let real = made.map_err(|error| WriteError::System(path.to_path_buf(), error))?;
        if real.starts_with(&self.root) { Ok(()) } else { Err(leads_out(path)) }
    }
}

/// Two times of a file, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileTimes {
    pub(super) written_seconds: i64,
    pub(super) given_seconds: i64,
}

fn leads_out(path: &Path) -> WriteError {
    WriteError::LeadsOut(path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Directory, WriteError};

    #[test]
    fn nothing_is_written_outside() {
        let place = tempfile::tempdir().unwrap();
        let outside = place.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        let root = place.path().join("pages");
        let directory = Directory::open(&root).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.join("b"), root.join("b.html")).unwrap();
        for name in ["link/a.html", "../a.html", "a/../../a.html", "link/deeper/a.html"] {
            let written = directory.write(Path::new(name), b"a");
            assert!(matches!(written, Err(WriteError::LeadsOut(_))), "{name}: {written:?}");
        }
        // A link in a page's place is replaced.
        directory.write(Path::new("b.html"), b"b").unwrap();
        directory.write(Path::new("a/b/c.html"), b"c").unwrap();
        assert!(!root.join("b.html").is_symlink() && root.join("a/b/c.html").is_file());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    }
}
