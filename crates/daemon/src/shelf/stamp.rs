//! What is wrong with a value, in rrdcached's words.

use rrd::Timestamp;
use rrd::sample::SampleError;
use rrd::update::UpdateError;

use super::Failure;

/// A value that is refused for its text: in rrdcached's words where its time is none (`N` and
/// AT-style times are none to it), in those of rrdtool's where the readings are wrong, which
/// rrdcached tells no client.
pub(crate) fn unread(path: &str, error: &SampleError) -> Failure {
    match error {
        SampleError::NoTime(value) => Failure::Told(format!("Cannot find timestamp in '{value}'!")),
        other => Failure::Rrd(format!("{path}: {other}")),
    }
}

/// A refused sample in rrdcached's words.
pub(crate) fn refused(path: &str, error: &UpdateError) -> Failure {
    match error {
        UpdateError::NotAfterLast { found, last } => Failure::Told(format!(
            "illegal attempt to update using time {} when last update time is {} (minimum one \
             second step)",
            text(*found),
            text(*last)
        )),
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
