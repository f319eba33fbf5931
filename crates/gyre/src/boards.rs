//! The directory with the boards of web pages (`--boards`).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rrdtool::system_words;
use server::{Checked, Shelf};

/// Why a directory of boards cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BoardsError {
    /// It cannot be read.
    #[error("--boards {}: cannot be read: {}", .directory.display(), system_words(.cause))]
    Unreadable {
        /// The directory.
        directory: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
}

/// Boards, and where they are.
#[derive(Clone)]
pub(crate) struct Boards {
    pub(crate) shelf: Arc<Shelf>,
    directory: PathBuf,
}

impl Boards {
    /// Those of a directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, BoardsError> {
        let shelf = Shelf::open(directory).map_err(|cause| unreadable(directory, cause))?;
        Ok(Self { shelf: Arc::new(shelf), directory: directory.to_owned() })
    }

    /// Reads all of them anew; a wrong one is shown as such, and the others as ever.
    pub(crate) fn check(&self) -> Result<Checked, BoardsError> {
        self.shelf.reload().map_err(|cause| unreadable(&self.directory, cause))
    }
}

fn unreadable(directory: &Path, cause: io::Error) -> BoardsError {
    BoardsError::Unreadable { directory: directory.to_owned(), cause }
}
