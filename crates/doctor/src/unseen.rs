//! Facts that cannot be found out, and where facts are read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Why a fact is unknown: which file or permission is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unseen(pub String);

/// A fact, or why it is not known.
pub type Seen<T> = Result<T, Unseen>;

impl Unseen {
    pub(crate) fn new(path: &Path, error: &std::io::Error) -> Self {
        Self(format!("{}: {}", path.display(), disk::system_words(error)))
    }

    /// The error for a file with unexpected content.
    pub(crate) fn odd(path: &str, expected: &str) -> Self {
        Self(format!("{path}: expected {expected}"))
    }
}

/// The parent of `/proc`, `/sys` and `/etc`: `/`, or a directory with those of another machine.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// This machine.
    #[must_use]
    pub fn here() -> Self {
        Self("/".into())
    }

    /// Another machine, whose files are below a directory.
    #[must_use]
    pub fn at(directory: &Path) -> Self {
        Self(directory.into())
    }

    /// Whether it is this machine.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.0 == Path::new("/")
    }

    pub(crate) fn path(&self, absolute: &str) -> PathBuf {
        self.0.join(absolute.trim_start_matches('/'))
    }

    pub(crate) fn exists(&self, absolute: &str) -> bool {
        self.path(absolute).exists()
    }

    /// The text of a file; invalid UTF-8 becomes replacement characters.
    pub(crate) fn text(&self, absolute: &str) -> Seen<String> {
        let bytes = std::fs::read(self.path(absolute));
        let bytes = bytes.map_err(|error| Unseen::new(Path::new(absolute), &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The number in a file.
    pub(crate) fn number<T: FromStr>(&self, absolute: &str) -> Seen<T> {
        let text = self.text(absolute)?;
        text.trim().parse().map_err(|_| Unseen::odd(absolute, "a number"))
    }

    /// The names in a directory, sorted.
    pub(crate) fn names(&self, absolute: &str) -> Seen<Vec<String>> {
        let entries = std::fs::read_dir(self.path(absolute));
        let entries = entries.map_err(|error| Unseen::new(Path::new(absolute), &error))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }
}
