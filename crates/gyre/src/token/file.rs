//! New lines of a file of tokens.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use access::{Grant, Tokens};
use guard::{TokensError, bytes_of_tokens};
use rrdtool::system_words;

/// The mode of a new file.
const MODE: u32 = 0o600;

/// Why there is no new token.
#[derive(Debug, thiserror::Error)]
pub(super) enum AddError {
    /// The file as it is cannot be used.
    #[error(transparent)]
    File(#[from] TokensError),
    /// It cannot be written.
    #[error("{}: cannot be written: {}", .path.display(), system_words(.cause))]
    Unwritable { path: PathBuf, cause: io::Error },
    /// There is a token of that name.
    #[error("{}: there is a token {name} already", .path.display())]
    Taken { path: PathBuf, name: String },
    /// The system gives no random bytes.
    #[error("random bytes: {0}")]
    Random(getrandom::Error),
}

/// Adds a line to a file, which is made if it is missing. The line is on disk once this returns.
pub(super) fn add(path: &Path, grant: &Grant) -> Result<(), AddError> {
    let unwritable = |cause| AddError::Unwritable { path: path.to_owned(), cause };
    let is_there = path.try_exists().map_err(unwritable)?;
    let present = if is_there { bytes_of_tokens(path)? } else { Vec::new() };
    let wrong = |wrong| TokensError::Wrong { path: path.to_owned(), wrong };
    let tokens = Tokens::parse(&present).map_err(wrong)?;
    if tokens.grants().iter().any(|other| other.name == grant.name) {
        return Err(AddError::Taken { path: path.to_owned(), name: grant.name.clone() });
    }
    let begin = if present.is_empty() || present.ends_with(b"\n") { "" } else { "\n" };
    let mut file =
        OpenOptions::new().append(true).create(true).mode(MODE).open(path).map_err(unwritable)?;
    // One write: who reads the file meanwhile finds the whole line or none of it.
    file.write_all(format!("{begin}{grant}\n").as_bytes()).map_err(unwritable)?;
    file.sync_all().map_err(unwritable)
}
