//! A file of tokens on disk, which is read again when its owner asks for it.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use access::{Current, Tokens, Wrong};
use disk::system_words;

/// The most bytes of a file of tokens.
const BYTES_MAX: u64 = 1 << 20;

/// Why a file of tokens cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokensError {
    /// It cannot be read.
    #[error("{}: cannot be read: {}", .path.display(), system_words(.cause))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// It is too large, or no file.
    #[error("{}: expected a file of at most {BYTES_MAX} bytes", .0.display())]
    NotAFile(PathBuf),
    /// Others could add tokens to it.
    #[error(
        "{}: it has mode {mode:04o} and owner {owner}: tokens are read from files only that root or \
         this process's user owns, and that nobody else may write (mode 0644 or less)",
        .path.display()
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// The user that owns it.
        owner: u32,
    },
    /// A line is wrong.
    #[error("{}:{wrong}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, and what is wrong with it.
        wrong: Wrong,
    },
}

/// A file of tokens, and those of them that count.
#[derive(Clone, Debug)]
pub struct TokensFile {
    path: PathBuf,
    current: Current,
}

impl TokensFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`TokensError`].
    pub fn open(path: &Path) -> Result<Self, TokensError> {
        Ok(Self { path: path.to_owned(), current: Current::new(read(path)?) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tokens that count. Those who hold this see the new ones once they are read.
    #[must_use]
    pub fn current(&self) -> &Current {
        &self.current
    }

    /// Reads the file again, and gives the number of its tokens. If it cannot be used, the tokens
    /// stay as they were.
    ///
    /// # Errors
    /// [`TokensError`].
    pub fn reload(&self) -> Result<usize, TokensError> {
        let tokens = read(&self.path)?;
        let count = tokens.grants().len();
        self.current.replace(tokens);
        Ok(count)
    }
}

fn read(path: &Path) -> Result<Tokens, TokensError> {
    let parsed = Tokens::parse(&bytes_of_tokens(path)?);
    parsed.map_err(|wrong| TokensError::Wrong { path: path.to_owned(), wrong })
}

/// The bytes of a file of tokens. It must be one that nobody else could have changed.
///
/// # Errors
/// All of [`TokensError`] but a wrong line, for which nobody looks here.
pub fn bytes_of_tokens(path: &Path) -> Result<Vec<u8>, TokensError> {
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
