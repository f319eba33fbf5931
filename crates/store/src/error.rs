//! The errors of stores.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use rrd::BeyondFiles;
use rrd::fetch::FetchError;
use rrd::sample::SampleError;
use rrd::tune::TuneError;
use rrd::update::UpdateError;
use rrdfile::{FormatError, Unwritable};

use journal::JournalError;

use crate::Phrase;

/// The errors of stores. `Display` names the file; [`Error::in_rrdtools_words`] gives rrdtool's
/// message.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system call failed.
    #[error("{}: {action}: {}", path.display(), disk::system_words(source))]
    Io {
        /// The failed action: `opening`, `reading`, `writing`, `locking`, `creating`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no database of that name.
    #[error("{}: opening: No such file or directory", name.display())]
    NoSuchDatabase {
        /// The name.
        name: PathBuf,
    },
    /// The file is damaged or foreign.
    #[error("{}: {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: FormatError,
    },
    /// Another process holds the file's lock.
    #[error("{}: another process holds its lock", .0.display())]
    Locked(PathBuf),
    /// Another process has the ring store open, and does not answer requests.
    #[error(
        "{}: this ring store is open in another process, which does not answer at its socket",
        .0.display()
    )]
    InUse(PathBuf),
    /// Another program wrote the file after its header was read.
    #[error("{}: another program changed it meanwhile", .0.display())]
    Changed(PathBuf),
    /// The journal has samples for a file that is missing or incomplete.
    #[error(
        "{}: not done: {samples} samples in the journal wait for the file that was here; bring it \
         back, or drop them by FORGET",
        path.display()
    )]
    Awaited {
        /// The file.
        path: PathBuf,
        /// How many samples wait.
        samples: usize,
    },
    /// There is a database of that name already.
    #[error("{}: exists already", .0.display())]
    Exists(PathBuf),
    /// The database would be larger than a file can be.
    #[error("{}: would be larger than a file can be", .0.display())]
    TooLarge(PathBuf),
    /// A file cannot say all that the database is.
    #[error("{}: {source}", path.display())]
    BeyondFiles {
        /// The database.
        path: PathBuf,
        /// What a file cannot say.
        source: BeyondFiles,
    },
    /// The name leads out of the store.
    #[error("{0:?}: expected a relative path without '..'")]
    Name(String),
    /// A sample is refused.
    #[error("{}: {source}", path.display())]
    Update {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: UpdateError,
    },
    /// The text of a sample is refused.
    #[error("{}: {source}", path.display())]
    Sample {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: SampleError,
    },
    /// A change is refused.
    #[error("{}: {source}", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Box<TuneError>,
    },
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The catalogue of a ring store failed.
    #[error("{source}")]
    Catalogue {
        /// The error of the catalogue.
        source: Box<dyn std::error::Error + Send + Sync>,
        /// Whether the catalogue is damaged.
        is_damage: bool,
    },
    /// A file of a ring store is damaged. The undamaged parts are still served.
    #[error("{file}: at byte {offset_bytes}: {what}")]
    Damaged {
        /// The file.
        file: String,
        /// The place of the damage.
        offset_bytes: u64,
        /// What is wrong.
        what: String,
    },
    /// The group of a ring store that has the database cannot be opened. The database can be
    /// deleted, or replaced by a whole one.
    #[error("{}: its group {group:06} cannot be opened: {what}", path.display())]
    LostGroup {
        /// The database.
        path: PathBuf,
        /// The group.
        group: u32,
        /// What is wrong with it.
        what: String,
    },
    /// A ring store cannot be opened, because a necessary part is damaged.
    #[error("{source}; `gyre store salvage {}` tells what can be saved", root.display())]
    Refused {
        /// The store's directory.
        root: PathBuf,
        /// What is damaged.
        source: Box<Error>,
    },
    /// The ring store cannot hold such a database.
    #[error("{name}: {reason}")]
    Unfit {
        /// The database.
        name: String,
        /// The reason.
        reason: Cow<'static, str>,
    },
    /// The store has no room for the sample now, and took nothing.
    #[error("not taken: {0}")]
    NotTaken(String),
    /// The log did not reach the disk: the sample may be lost or kept. Sending it again is safe.
    #[error("not acknowledged: {0}")]
    Unacknowledged(String),
    /// Writes to files may not be on disk, although reads see them.
    #[error(
        "{cause}; what was written to {files} file(s) is kept in the journal until they are written anew \
         from there"
    )]
    InDoubt {
        /// The number of files.
        files: usize,
        /// The error of one of them.
        cause: String,
    },
    /// The store accepts no updates until it is opened again.
    #[error("the store has stopped; open it again, nothing acknowledged is lost: {0}")]
    Stopped(String),
    /// The process that serves the store does not answer any more. Everything that it acknowledged
    /// is kept.
    #[error("{}: the server of this store: {why}", server.display())]
    Gone {
        /// The server's socket.
        server: PathBuf,
        /// The reason.
        why: String,
    },
    /// The error of the process that serves the store.
    #[error("{}", ours.with(name))]
    Served {
        /// The database.
        name: PathBuf,
        /// The message in gyre's words.
        ours: Phrase,
        /// The message in rrdtool's words.
        rrdtools: Phrase,
    },
    /// A client's request cannot be parsed or answered.
    #[error("{}: {what}", name.display())]
    Unread {
        /// The database.
        name: PathBuf,
        /// The reason.
        what: String,
    },
    /// A query has no answer.
    #[error("{}: {source}", path.display())]
    Fetch {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: FetchError,
    },
}

impl Error {
    /// The message that rrdtool prints for this fault.
    #[must_use]
    pub fn in_rrdtools_words(&self) -> String {
        match self {
            Self::Io { action, path, source } => {
                format!("{action} '{}': {}", path.display(), disk::system_words(source))
            }
            Self::NoSuchDatabase { name } => {
                format!("opening '{}': No such file or directory", name.display())
            }
            Self::Format { path, source } => source.in_rrdtools_words(path),
            Self::Locked(_) => "could not lock RRD".into(),
            Self::Exists(path) => format!("creating '{}': File exists", path.display()),
            Self::BeyondFiles { source, .. } => source.in_rrdtools_words(),
            Self::Fetch { source, .. } => source.to_string(),
            Self::Edit { source, .. } => source.to_string(),
            Self::Update { .. } | Self::Sample { .. } => self.to_string(),
            Self::TooLarge(_) | Self::Name(_) | Self::Awaited { .. } => self.to_string(),
            Self::Changed(_) | Self::InUse(_) => self.to_string(),
            Self::Journal(_) | Self::Catalogue { .. } | Self::Stopped(_) => self.to_string(),
            Self::Unacknowledged(_) | Self::NotTaken(_) | Self::InDoubt { .. } => self.to_string(),
            Self::Damaged { .. } | Self::Unfit { .. } => self.to_string(),
            Self::LostGroup { .. } => self.to_string(),
            Self::Refused { .. } | Self::Gone { .. } | Self::Unread { .. } => self.to_string(),
            Self::Served { name, rrdtools, .. } => rrdtools.with(name),
        }
    }

    /// There is no database of that name.
    #[must_use]
    pub fn missing(name: impl AsRef<Path>) -> Self {
        Self::NoSuchDatabase { name: name.as_ref().into() }
    }

    /// Whether the error is that there is no such database.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::NoSuchDatabase { .. })
    }

    /// The error of opening a database's file.
    pub fn opening(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::missing(path),
            _ => Self::Io { action: "opening", path: path.into(), source },
        }
    }

    /// A change that is refused.
    pub fn edit<E: Into<TuneError>>(path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Edit { path: path.into(), source: Box::new(source.into()) }
    }

    /// A copy of the error, for another sample that failed with it.
    #[must_use]
    pub fn again(&self) -> Self {
        match self {
            Self::Gone { server, why } => Self::Gone { server: server.clone(), why: why.clone() },
            told => Self::Served {
                name: "".into(),
                ours: Phrase::around(&told.to_string()),
                rrdtools: Phrase::around(&told.in_rrdtools_words()),
            },
        }
    }

    /// The same error, with the name `path` for the database instead of `own`.
    #[must_use]
    pub fn called(self, own: &Path, path: &Path) -> Self {
        let named = |found: &Path| found == own;
        let path = path.to_path_buf();
        match self {
            Self::NoSuchDatabase { name } if named(&name) => Self::NoSuchDatabase { name: path },
            Self::Io { action, path: name, source } if named(&name) => {
                Self::Io { action, path, source }
            }
            Self::Format { path: name, source } if named(&name) => Self::Format { path, source },
            Self::Update { path: name, source } if named(&name) => Self::Update { path, source },
            Self::Sample { path: name, source } if named(&name) => Self::Sample { path, source },
            Self::Fetch { path: name, source } if named(&name) => Self::Fetch { path, source },
            Self::Edit { path: name, source } if named(&name) => Self::Edit { path, source },
            Self::Exists(name) if named(&name) => Self::Exists(path),
            Self::LostGroup { path: name, group, what } if named(&name) => {
                Self::LostGroup { path, group, what }
            }
            Self::TooLarge(name) if named(&name) => Self::TooLarge(path),
            Self::BeyondFiles { path: name, source } if named(&name) => {
                Self::BeyondFiles { path, source }
            }
            Self::Served { name, ours, rrdtools } if named(&name) => {
                Self::Served { name: path, ours, rrdtools }
            }
            Self::Unread { name, what } if named(&name) => Self::Unread { name: path, what },
            Self::Unfit { name, reason } if named(Path::new(&name)) => {
                Self::Unfit { name: path.to_string_lossy().into_owned(), reason }
            }
            other => other,
        }
    }

    /// Adds to the error of a damaged store how to repair it.
    pub fn refused(root: &Path) -> impl FnOnce(Self) -> Self {
        move |source| match source.is_damage() {
            true => Self::Refused { root: root.into(), source: Box::new(source) },
            false => source,
        }
    }

    /// Whether the error is that a store is damaged.
    fn is_damage(&self) -> bool {
        match self {
            Self::Journal(error) => error.is_damage(),
            Self::Catalogue { is_damage, .. } => *is_damage,
            Self::Damaged { .. } => true,
            _ => false,
        }
    }

    /// A system call failed on a file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.into(), source }
    }

    /// There is no file of the database.
    pub fn unwritable<E: Into<Unwritable>>(path: &Path) -> impl FnOnce(E) -> Self {
        move |why| match why.into() {
            Unwritable::TooLarge => Self::TooLarge(path.into()),
            Unwritable::Beyond(source) => Self::BeyondFiles { path: path.into(), source },
        }
    }

    /// A file is damaged or foreign.
    pub fn format(path: &Path) -> impl FnOnce(FormatError) -> Self {
        move |source| Self::Format { path: path.into(), source }
    }
}
