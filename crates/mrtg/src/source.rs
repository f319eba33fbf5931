//! Where configuration text comes from, and how a place in it is named.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Gives the reader its files. The crate itself opens none.
///
/// Relative paths are relative to the working directory, as MRTG takes them.
pub trait Source {
    /// The bytes of one file.
    ///
    /// # Errors
    /// Whatever kept the file from being read; it is reported with the line that asked for it.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The paths that match a shell pattern (`*`, `?`, `[...]`, `{a,b}`), sorted by name.
    ///
    /// # Errors
    /// The pattern stands for more names than anybody means; it is reported as above.
    fn glob(&self, pattern: &Path) -> io::Result<Vec<PathBuf>>;
}

/// A line of a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The file, as it was named to the [`Source`].
    pub file: Arc<Path>,
    /// The line, counted from 1.
    pub line: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}
