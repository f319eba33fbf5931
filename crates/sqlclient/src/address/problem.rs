//! What is wrong with a file that says where a database is.

use std::io;
use std::path::PathBuf;

/// A mistake in the file, or beside it.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}: {problem}", file.display())]
pub struct AddressError {
    /// The file.
    pub file: PathBuf,
    /// The line, the first one being 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong at a line.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The text is not TOML, a key is unknown or missing, or a value is of the wrong kind.
    #[error("{0}")]
    Syntax(String),
    /// A key is missing with this kind of database.
    #[error("{kind} needs `{key}`")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A key means nothing with this kind of database.
    #[error("{kind} has no `{key}`")]
    Needless {
        /// The kind.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// Two keys exclude each other.
    #[error("`{key}` and `{other}` exclude each other")]
    Both {
        /// The one.
        key: &'static str,
        /// The other.
        other: &'static str,
    },
    /// A value is empty.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// Passwords and rows would cross the network for all to read.
    #[error("tls = \"off\" is for sockets and loopback alone, not for {host}")]
    Unencrypted {
        /// Where to.
        host: String,
    },
    /// Authorities are named where no certificate is checked.
    #[error("`ca_file` needs tls = \"verify\"")]
    UselessAuthority,
    /// A deadline is not positive.
    #[error("`{0}` is not at least one second")]
    Deadline(&'static str),
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// Others than its owner can read a file with a password.
    #[error("{}: others can read it (mode {mode:o}); chmod 600", path.display())]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file has no password.
    #[error("{}: expected a password, found an empty line", path.display())]
    NoPassword {
        /// The file.
        path: PathBuf,
    },
    /// A variable of the environment is not set.
    #[error("the environment has no variable {0}")]
    NoVariable(String),
}
