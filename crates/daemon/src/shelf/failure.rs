//! Why a request failed.

use std::io::ErrorKind;
use std::path::Path;

use rrd::Timestamp;
use rrd::sample::SampleError;
use rrd::update::UpdateError;
use rrdtool::Wording;
use rrdtool::tune::Untuned;
use store::Error;

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
            Error::Update { path, source } => refused(&path.to_string_lossy(), &source),
            Error::Sample { path, source } => unread(&path.to_string_lossy(), &source),
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

/// A value that is refused for its text: in rrdcached's words where its time is none (`N` and
/// AT-style times are none to it), in those of rrdtool's where the readings are wrong, which
/// rrdcached tells no client.
fn unread(path: &str, error: &SampleError) -> Failure {
    match error {
        SampleError::NoTime(value) => Failure::Told(format!("Cannot find timestamp in '{value}'!")),
        other => Failure::Rrd(format!("{path}: {other}")),
    }
}

/// A refused sample in rrdcached's words.
fn refused(path: &str, error: &UpdateError) -> Failure {
    match error {
        UpdateError::NotAfterLast { found, last } => Failure::Told(format!(
            "illegal attempt to update using time {} when last update time is {} (minimum one \
             second step)",
            text(*found),
            text(*last)
        )),
        UpdateError::NotAfterLastTick { .. } => Failure::Told(error.to_string()),
        other => Failure::Rrd(format!("{path}: {other}")),
    }
}

/// `%lf`.
fn text(time: Timestamp) -> String {
    format!("{}.{:06}", time.seconds, time.micros)
}

#[cfg(test)]
mod tests {
    use rrd::sample::SampleError;

    use super::{Failure, unread};

    #[test]
    fn a_time_that_is_none_is_told_as_rrdcached_does() {
        let words = "Cannot find timestamp in 'N:1'!";
        assert_eq!(unread("a", &SampleError::NoTime("N:1".into())), Failure::Told(words.into()));
        let too_few = SampleError::TooFew { expected: 2, found: 1, time: "5".into() };
        let words = "a: expected 2 data source readings (got 1) from 5";
        assert_eq!(unread("a", &too_few), Failure::Rrd(words.into()));
    }
}
