//! Secrets that are not written in mrtg.cfg: from files, the environment, systemd's credentials.
//!
//! With `--secrets`, a community, password or key of the form `$NAME` stands for the secret NAME.
//! MRTG reads such a configuration, too, but takes `$NAME` as it is written.
//!
//! ```text
//! Target[core]: 1:$core@192.0.2.1:::::2        --secrets /etc/gyre/secrets
//! SnmpOptions: username=>'mon',authpassword=>'$mon',…
//! ```

mod environment;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rrdtool::system_words;
use snmp::Secret;

use environment::CREDENTIALS;
pub(super) use environment::{hidden_variables, secret_variable};

/// The most bytes of a file of secrets.
const BYTES_MAX: u64 = 1 << 20;

/// Where `--secrets` says that secrets are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Environment variables with the secrets' names.
    Environment,
    /// The directory that systemd hands over: `$CREDENTIALS_DIRECTORY`.
    Credentials,
    /// A file of lines `NAME=SECRET`, or a directory with a file for each secret.
    Path(PathBuf),
}

/// Why secrets cannot be used. It shows none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretsError {
    /// No `$CREDENTIALS_DIRECTORY`.
    #[error(
        "--secrets credentials: the environment has no CREDENTIALS_DIRECTORY, which systemd sets \
         for a unit with LoadCredential="
    )]
    NoCredentials,
    /// A file or directory cannot be read.
    #[error("{}: cannot be read: {}", path.display(), system_words(cause))]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// Others may read or change a file.
    #[error(
        "{}: it has mode {mode:04o} and owner {owner}: secrets are read from files only that root \
         or this process's user owns, that others may not read, and that their group may not write \
         (mode 0640 or less)",
        path.display()
    )]
    Open {
        /// The path.
        path: PathBuf,
        /// The permission bits.
        mode: u32,
        /// The owner's number.
        owner: u32,
    },
    /// A file is too large, or is none.
    #[error("{}: expected a file of at most {BYTES_MAX} bytes", .0.display())]
    NotAFile(PathBuf),
    /// A line is wrong.
    #[error("{}:{line}: expected NAME=SECRET with a name of letters, digits, `_`, `-` and `.`", path.display())]
    Line {
        /// The path.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// A name stands twice in a file.
    #[error("{}:{line}: the secret {name} stands twice", path.display())]
    Twice {
        /// The path.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The name.
        name: String,
    },
}

/// Why a configuration's `$NAME` has no secret.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unknown {
    #[error("there is no secret {name} in {places}")]
    Missing { name: String, places: String },
    #[error("the secret {0} is empty")]
    Empty(String),
    #[error(transparent)]
    Unusable(#[from] SecretsError),
}

/// The secrets of a run.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    sources: Vec<Source>,
}

#[derive(Debug)]
enum Source {
    Environment,
    File { path: PathBuf, secrets: BTreeMap<String, Secret> },
    Directory(PathBuf),
}

impl Secrets {
    /// Reads files of secrets; a directory's are read when they are asked for.
    pub(super) fn at(places: &[Place]) -> Result<Self, SecretsError> {
        let sources = places.iter().map(|place| match place {
            Place::Environment => Ok(Source::Environment),
            Place::Credentials => {
                let directory = std::env::var_os(CREDENTIALS);
                let directory = directory.filter(|directory| !directory.is_empty());
                Ok(Source::Directory(directory.ok_or(SecretsError::NoCredentials)?.into()))
            }
            Place::Path(path) => at(path),
        });
        Ok(Self { sources: sources.collect::<Result<_, _>>()? })
    }

    /// The secret that written bytes stand for; `None` if they stand for themselves.
    pub(super) fn meant_by(&self, written: &[u8]) -> Result<Option<Secret>, Unknown> {
        let name = written.strip_prefix(b"$").filter(|_| !self.sources.is_empty());
        if name.is_some_and(|name| name.starts_with(b"$")) {
            // Two stand for one that is meant as it is.
            return Ok(name.map(Secret::new));
        }
        let Some(name) = name.and_then(name_of) else { return Ok(None) };
        for source in &self.sources {
            if let Some(secret) = source.secret(name)? {
                return match secret.with(<[u8]>::is_empty) {
                    true => Err(Unknown::Empty(name.to_owned())),
                    false => Ok(Some(secret)),
                };
            }
        }
        let places: Vec<String> = self.sources.iter().map(Source::words).collect();
        Err(Unknown::Missing { name: name.to_owned(), places: places.join(", ") })
    }
}

impl Source {
    fn secret(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        match self {
            Self::Environment => {
                Ok(secret_variable(name).map(|value| Secret::new(value.into_vec())))
            }
            Self::File { secrets, .. } => Ok(secrets.get(name).cloned()),
            Self::Directory(directory) => {
                let path = directory.join(name);
                match read(&path) {
                    Ok(bytes) => Ok(Some(Secret::new(without_line_end(bytes)))),
                    Err(SecretsError::Unreadable { cause, .. })
                        if cause.kind() == std::io::ErrorKind::NotFound =>
                    {
                        Ok(None)
                    }
                    Err(error) => Err(error),
                }
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Environment => "the environment".to_owned(),
            Self::File { path, .. } | Self::Directory(path) => path.display().to_string(),
        }
    }
}

/// A name of a secret. It is a file's name, too, so it has no slash and no dot in front.
fn name_of(bytes: &[u8]) -> Option<&str> {
    let is_fit = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let is_name = !bytes.is_empty() && bytes[0] != b'.' && bytes.iter().all(is_fit);
    std::str::from_utf8(bytes).ok().filter(|_| is_name)
}

fn at(path: &Path) -> Result<Source, SecretsError> {
    let unreadable = |cause| SecretsError::Unreadable { path: path.to_owned(), cause };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(Source::Directory(path.to_owned()));
    }
    Ok(Source::File { path: path.to_owned(), secrets: lines(path, &read(path)?)? })
}

/// The secrets in the lines of a file. Empty lines and those that begin with `#` have none.
fn lines(path: &Path, bytes: &[u8]) -> Result<BTreeMap<String, Secret>, SecretsError> {
    let mut secrets = BTreeMap::new();
    for (line, text) in bytes.split(|byte| *byte == b'\n').zip(1..).map(|(text, nth)| (nth, text)) {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() || text[0] == b'#' {
            continue;
        }
        let equals = text.iter().position(|byte| *byte == b'=');
        let name = equals.and_then(|equals| name_of(&text[..equals]));
        let (Some(equals), Some(name)) = (equals, name) else {
            return Err(SecretsError::Line { path: path.to_owned(), line });
        };
        let secret = Secret::new(&text[equals + 1..]);
        if secrets.insert(name.to_owned(), secret).is_some() {
            let name = name.to_owned();
            return Err(SecretsError::Twice { path: path.to_owned(), line, name });
        }
    }
    Ok(secrets)
}

/// The bytes of a file that nobody else may read or change.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, SecretsError> {
    let unreadable = |cause| SecretsError::Unreadable { path: path.to_owned(), cause };
    // Opening a pipe would wait for its writer.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.read(true).custom_flags(nonblocking).open(path).map_err(unreadable)?;
    // The opened file is looked at, not the path, which may lead elsewhere a moment later.
    let facts = file.metadata().map_err(unreadable)?;
    if !facts.is_file() || facts.len() > BYTES_MAX {
        return Err(SecretsError::NotAFile(path.to_owned()));
    }
    let (mode, owner) = (facts.mode() & 0o7777, facts.uid());
    let is_ours = owner == 0 || owner == rustix::process::geteuid().as_raw();
    if !is_ours || mode & 0o027 != 0 {
        return Err(SecretsError::Open { path: path.to_owned(), mode, owner });
    }
    // A vector that grows would leave copies.
    let mut bytes = Vec::with_capacity(facts.len() as usize + 1);
    file.by_ref().take(BYTES_MAX).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn without_line_end(mut bytes: Vec<u8>) -> Vec<u8> {
    for end in [b'\n', b'\r'] {
        bytes.pop_if(|last| *last == end);
    }
    bytes
}

#[cfg(test)]
mod tests;
