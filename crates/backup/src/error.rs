//! What can go wrong with a backup as a whole.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with a backup as a whole. What goes wrong with single files is told as
/// problems, and everything else is done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system call failed.
    #[error("{}: {action}: {}", path.display(), disk::system_words(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// Of what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A file of the backup is not as it was written.
    #[error("{}: at byte {offset_bytes}: expected {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        offset_bytes: u64,
        /// What should stand there.
        expected: &'static str,
    },
    /// It cannot be done so; the words say why.
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
