//! Why there is no package.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Why there is no package.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file cannot be read or written.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// A program cannot be started.
    #[error("{program}: {cause}")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        cause: io::Error,
    },
    /// A program failed.
    #[error("{program}: {status}")]
    Failed {
        /// The program and its words.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// `SOURCE_DATE_EPOCH` cannot be used.
    #[error("SOURCE_DATE_EPOCH: expected seconds since 1970, found {found}")]
    Moment {
        /// What it is.
        found: String,
    },
    /// There is no commit whose date packages could have.
    #[error("expected a git commit, whose date the packages get; SOURCE_DATE_EPOCH gives another")]
    Commit,
    /// Programs of a machine cannot be made here.
    #[error("packages for {machine}: this machine lacks {}", .missing.join(", "))]
    Cross {
        /// The machine, as Debian calls it.
        machine: &'static str,
        /// What is missing.
        missing: Vec<String>,
    },
    /// An archive has no room for a number or a name.
    #[error("{what}: {found} does not fit into the archive")]
    Archive {
        /// What has no room.
        what: &'static str,
        /// The name or the number.
        found: String,
    },
    /// An archive cannot be written.
    #[error("archive: {0}")]
    Write(io::Error),
    /// An .rpm file cannot be written.
    #[error("rpm: {0}")]
    Rpm(#[from] rpm::Error),
    /// A description within an image cannot be written.
    #[error("image: {0}")]
    Json(#[from] serde_json::Error),
    /// A program has no build ID, by which debuggers find its debug information.
    #[error("{}: expected a build ID, found none", .0.display())]
    NoBuildId(PathBuf),
    /// Two builds differ.
    #[error("{name}: two builds of it differ")]
    Different {
        /// The package's file.
        name: String,
    },
    /// An argument is wrong.
    #[error("{0}")]
    Misuse(Misuse),
}

/// What is wrong with an argument.
#[derive(Debug, thiserror::Error)]
pub enum Misuse {
    /// It is not known.
    #[error("unexpected argument: {0}")]
    Unknown(String),
    /// Its value is not there.
    #[error("{0} needs a word after it")]
    NoValue(String),
    /// Its value is wrong.
    #[error("{option}: expected {expected}, found {found}")]
    Value {
        /// The option.
        option: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it got.
        found: String,
    },
}

impl PackError {
    pub(crate) fn file(path: &Path, cause: io::Error) -> Self {
        Self::File { path: path.to_owned(), cause }
    }

    pub(crate) fn start(program: &str, cause: io::Error) -> Self {
        Self::Start { program: program.to_owned(), cause }
    }
}
