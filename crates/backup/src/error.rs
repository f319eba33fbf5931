//! Errors that end a backup.

use std::io;
use std::path::{Path, PathBuf};

/// Errors that end a backup. Errors of single files are reported as problems, and the others are
/// still copied.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system call failed.
    #[error("{}: {action}: {}", path.display(), disk::system_words(source))]
    Io {
        /// The failed action.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of the backup is damaged.
    #[error("{}: at byte {offset_bytes}: expected {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The place of the damage.
        offset_bytes: u64,
        /// What was expected there.
        expected: &'static str,
    },
    /// The request is refused; the text says why.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, offset_bytes: u64, expected: &'static str) -> Self {
        Self::Damaged { path: path.to_path_buf(), offset_bytes, expected }
    }
}
