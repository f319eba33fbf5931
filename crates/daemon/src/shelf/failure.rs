//! Why a request failed.

use std::io::ErrorKind;
use std::path::Path;

use rrdtool::Wording;
use rrdtool::tune::Untuned;
use store::Error;

use super::stamp;

/// Why a request failed. Each command has its own words for the first two, and before those of
/// rrdtool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such database, or nothing is known of it.
    Missing,
    /// There is something else than a file.
    Irregular,
    /// The words of rrdtool's.
    Rrd(String),
    /// Words as they are.
    Told(String),
}

impl Failure {
    /// In rrdcached's words where it has some.
    pub(super) fn of(error: Error) -> Self {
        match error {
            Error::NoSuchDatabase { .. } => Self::Missing,
            Error::Io { source, .. } if source.kind() == ErrorKind::IsADirectory => Self::Irregular,
            Error::Update { path, source } => stamp::refused(&path.to_string_lossy(), &source),
            Error::Sample { path, source } => stamp::unread(&path.to_string_lossy(), &source),
            other => Self::Rrd(other.in_rrdtools_words()),
        }
    }

    /// Of a file that was not made.
    pub(super) fn of_new_file(error: Error, path: &Path) -> Self {
        rrdtool::Failure::new_file(path.to_string_lossy(), error).into()
    }

    /// Of a database that was not tuned, or only in part.
    pub(super) fn of_tuning(untuned: Untuned, path: &Path) -> Self {
        match untuned {
            Untuned::Store(error) if error.is_missing() => Self::Missing,
            told => told.failure(&path.to_string_lossy()).into(),
        }
    }
}

impl From<rrdtool::Failure> for Failure {
    fn from(failure: rrdtool::Failure) -> Self {
        Self::Rrd(failure.in_words(Wording::Rrdtool))
    }
}
