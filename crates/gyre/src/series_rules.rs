//! The file of rules that name the series of databases (`--series`).

use std::io;
use std::path::{Path, PathBuf};

use lookup::{Rules, WrongRule};
use rrdtool::system_words;

/// Why a file of rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RulesError {
    /// It cannot be read.
    #[error("{}: cannot be read: {}", .path.display(), system_words(.cause))]
    Unreadable { path: PathBuf, cause: io::Error },
    /// A rule is wrong.
    #[error("{}: {wrong}", .path.display())]
    Wrong { path: PathBuf, wrong: WrongRule },
}

/// The rules of a file; without a file there is none.
pub(crate) fn rules(path: Option<&Path>) -> Result<Rules, RulesError> {
    let Some(path) = path else { return Ok(Rules::default()) };
    let unreadable = |cause| RulesError::Unreadable { path: path.to_owned(), cause };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    Rules::of_text(&text).map_err(|wrong| RulesError::Wrong { path: path.to_owned(), wrong })
}
