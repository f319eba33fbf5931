//! The file of tokens on disk.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use access::{Grant, Tokens, Wrong};
use rrdtool::system_words;

/// The most bytes of a file of tokens.
const BYTES_MAX: u64 = 1 << 20;
/// The mode of a new file.
const MODE: u32 = 0o600;

/// Why a file of tokens cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokensError {
    /// It cannot be read.
    #[error("{}: cannot be read: {}", .path.display(), system_words(.cause))]
    Unreadable { path: PathBuf, cause: io::Error },
    /// It cannot be written.
    #[error("{}: cannot be written: {}", .path.display(), system_words(.cause))]
    Unwritable { path: PathBuf, cause: io::Error },
    /// It is too large, or no file.
    #[error("{}: expected a file of at most {BYTES_MAX} bytes", .0.display())]
    NotAFile(PathBuf),
    /// Others could add tokens to it.
    #[error(
        "{}: it has mode {mode:04o} and owner {owner}: tokens are read from files only that root or \
         this process's user owns, and that nobody else may write (mode 0644 or less)",
        .path.display()
    )]
    Open { path: PathBuf, mode: u32, owner: u32 },
    /// A line is wrong.
    #[error("{}:{wrong}", .path.display())]
    Wrong { path: PathBuf, wrong: Wrong },
    /// There is a token of that name.
    #[error("{}: there is a token {name} already", .path.display())]
    Taken { path: PathBuf, name: String },
    /// The system gives no random bytes.
    #[error("random bytes: {0}")]
    Random(getrandom::Error),
}

/// Reads a file of tokens. It must be one that nobody else could have changed.
pub(crate) fn read(path: &Path) -> Result<Tokens, TokensError> {
    parse(path, &bytes(path)?)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Tokens, TokensError> {
    Tokens::parse(bytes).map_err(|wrong| TokensError::Wrong { path: path.to_owned(), wrong })
}

fn bytes(path: &Path) -> Result<Vec<u8>, TokensError> {
    let unreadable = |cause| TokensError::Unreadable { path: path.to_owned(), cause };
    // Opening a pipe would wait for its writer.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(nonblocking).open(path);
    let file = file.map_err(unreadable)?;
    // The opened file is looked at, not the path, which may lead elsewhere a moment later.
    let facts = file.metadata().map_err(unreadable)?;
    if !facts.is_file() || facts.len() > BYTES_MAX {
        return Err(TokensError::NotAFile(path.to_owned()));
    }
    let (mode, owner) = (facts.mode() & 0o7777, facts.uid());
    let is_ours = owner == 0 || owner == rustix::process::geteuid().as_raw();
    if !is_ours || mode & 0o022 != 0 {
        return Err(TokensError::Open { path: path.to_owned(), mode, owner });
    }
    let mut bytes = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Adds a line to a file, which is made if it is missing. The line is on disk once this returns.
pub(super) fn add(path: &Path, grant: &Grant) -> Result<(), TokensError> {
    let unwritable = |cause| TokensError::Unwritable { path: path.to_owned(), cause };
    let present = if path.try_exists().map_err(unwritable)? { bytes(path)? } else { Vec::new() };
    let tokens = parse(path, &present)?;
    if tokens.grants().iter().any(|other| other.name == grant.name) {
        return Err(TokensError::Taken { path: path.to_owned(), name: grant.name.clone() });
    }
    let begin = if present.is_empty() || present.ends_with(b"\n") { "" } else { "\n" };
    let mut file =
        OpenOptions::new().append(true).create(true).mode(MODE).open(path).map_err(unwritable)?;
    // One write: who reads the file meanwhile finds the whole line or none of it.
    file.write_all(format!("{begin}{grant}\n").as_bytes()).map_err(unwritable)?;
    file.sync_all().map_err(unwritable)
}
