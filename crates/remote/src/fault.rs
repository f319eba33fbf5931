//! The encoding of errors from the server to the client.

use std::borrow::Cow;
use std::path::Path;

use rrd::fetch::FetchError;
use rrd::sample::SampleError;
use rrd::tune::TuneError;
use rrd::update::UpdateError;
use serde::{Deserialize, Serialize};
use store::{Error, Phrase, Refused};

use super::bytes::Name;

/// The encoding of an [`Error`]: its kind if callers distinguish it, otherwise its messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fault<'a> {
    NoSuchDatabase(#[serde(borrow)] Name<'a>),
    Exists(#[serde(borrow)] Name<'a>),
    Locked(#[serde(borrow)] Name<'a>),
    TooLarge(#[serde(borrow)] Name<'a>),
    Name(String),
    Unfit {
        name: String,
        reason: Cow<'static, str>,
    },
    Update(#[serde(borrow)] Name<'a>, UpdateError),
    Sample(#[serde(borrow)] Name<'a>, SampleError),
    Fetch(#[serde(borrow)] Name<'a>, FetchError),
    Edit(#[serde(borrow)] Name<'a>, TuneError),
    Told {
        #[serde(borrow)]
        name: Name<'a>,
        ours: Phrase,
        rrdtools: Phrase,
    },
}

impl Fault<'static> {
    /// Encodes the error of the database `name`.
    pub(super) fn of(error: Error, name: &Path) -> Self {
        let own = |path: std::path::PathBuf| Name(path.into());
        match error {
            Error::NoSuchDatabase { name } => Self::NoSuchDatabase(own(name)),
            Error::Exists(path) => Self::Exists(own(path)),
            Error::Locked(path) => Self::Locked(own(path)),
            Error::TooLarge(path) => Self::TooLarge(own(path)),
            Error::Name(name) => Self::Name(name),
            Error::Unfit { name, reason } => Self::Unfit { name, reason },
            Error::Update { path, source } => Self::Update(own(path), source),
            Error::Sample { path, source } => Self::Sample(own(path), source),
            Error::Fetch { path, source } => Self::Fetch(own(path), source),
            Error::Edit { path, source } => Self::Edit(own(path), *source),
            other => Self::told(other, name),
        }
    }

    /// Encodes an error that concerns no particular database.
    pub(super) fn in_words(words: &str) -> Self {
        let phrase = || Phrase::around(words);
        Self::Told { name: Name(Path::new("").into()), ours: phrase(), rrdtools: phrase() }
    }

    fn told(error: Error, name: &Path) -> Self {
        let error = error.called(name, Path::new("\0"));
        let ours = Phrase::around(&error.to_string());
        let rrdtools = Phrase::around(&error.in_rrdtools_words());
        Self::Told { name: Name(name.to_path_buf().into()), ours, rrdtools }
    }
}

impl From<Fault<'_>> for Error {
    fn from(fault: Fault<'_>) -> Self {
        let path = |name: Name<'_>| name.0.into_owned();
        match fault {
            Fault::NoSuchDatabase(name) => Self::NoSuchDatabase { name: path(name) },
            Fault::Exists(name) => Self::Exists(path(name)),
            Fault::Locked(name) => Self::Locked(path(name)),
            Fault::TooLarge(name) => Self::TooLarge(path(name)),
            Fault::Name(name) => Self::Name(name),
            Fault::Unfit { name, reason } => Self::Unfit { name, reason },
            Fault::Update(name, source) => Self::Update { path: path(name), source },
            Fault::Sample(name, source) => Self::Sample { path: path(name), source },
            Fault::Fetch(name, source) => Self::Fetch { path: path(name), source },
            Fault::Edit(name, source) => Self::Edit { path: path(name), source: Box::new(source) },
            Fault::Told { name, ours, rrdtools } => {
                Self::Served { name: path(name), ours, rrdtools }
            }
        }
    }
}

/// A part of a call that was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal<'a> {
    /// Its position.
    pub(super) position: usize,
    /// How many samples before the refused one were applied.
    pub(super) taken: usize,
    /// The error.
    #[serde(borrow)]
    pub(super) fault: Fault<'a>,
}

impl Refusal<'static> {
    pub(super) fn of(position: usize, refused: Refused, name: &Path) -> Self {
        Self { position, taken: refused.taken, fault: Fault::of(refused.error, name) }
    }
}

impl Refusal<'_> {
    pub(super) fn refused(self) -> Refused {
        Refused { error: self.fault.into(), taken: self.taken }
    }
}
