//! The directory that pages are written to. Nothing is written outside of it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use disk::Durability;
use rrdtool::{Failure, system_words};

/// A page tells of itself within so many of its first bytes, before any text of the operator's.
const BEGIN_BYTES: usize = 512;
/// What a page ends with.
const END: &[u8] = b"</html>";

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

    /// Whether there is a file, and it has bytes.
    pub(super) fn is_there(&self, name: &Path) -> bool {
        self.facts(name).is_some_and(|facts| facts.len() > 0)
    }

    /// The page of that name; `None` if there is none.
    pub(super) fn page(&self, name: &Path) -> Option<KeptPage> {
        let facts = self.facts(name)?;
        let file = fs::File::open(self.root.join(name)).ok()?;
        let read = |at: u64, most: usize| {
            let mut bytes = vec![0; most];
            let length = file.read_at(&mut bytes, at).ok()?;
            bytes.truncate(length);
            Some(bytes)
        };
        let begin = read(0, BEGIN_BYTES)?;
        let end = read(facts.len().saturating_sub(END.len() as u64), END.len())?;
        Some(KeptPage { begin, is_whole: end == END, written_seconds: facts.mtime() })
    }

    /// Those of a file that is no link.
    fn facts(&self, name: &Path) -> Option<fs::Metadata> {
        fs::symlink_metadata(self.root.join(name)).ok().filter(fs::Metadata::is_file)
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

/// A page that is there already.
#[derive(Clone, Debug)]
pub(super) struct KeptPage {
    /// What it begins with.
    pub(super) begin: Vec<u8>,
    /// Whether it is not cut off.
    pub(super) is_whole: bool,
    /// When it was written, in seconds since 1970.
    pub(super) written_seconds: i64,
}

impl KeptPage {
    /// Whether it begins with a comment of these words.
    pub(super) fn has_mark(&self, words: &str) -> bool {
        String::from_utf8_lossy(&self.begin).contains(&format!("<!-- {words} -->"))
    }
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
