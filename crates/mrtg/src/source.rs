//! The source of configuration text, and positions in it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Provides files to the reader. This crate itself opens no files.
///
/// Relative paths are relative to the working directory, as in MRTG.
pub trait Source {
    /// The bytes of one file.
    ///
    /// # Errors
    /// The file cannot be read; the error is reported with the line that names the file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The paths that match a shell pattern (`*`, `?`, `[...]`, `{a,b}`), sorted by name.
    ///
    /// # Errors
    /// The pattern expands to too many names; the error is reported as above.
    fn glob(&self, pattern: &Path) -> io::Result<Vec<PathBuf>>;
}

/// A line of a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The file, as it was passed to the [`Source`].
    pub file: Arc<Path>,
    /// The line, counted from 1.
    pub line: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}
