//! Failures in the words of each command.

use crate::limits::WORDS_BYTES_MAX;
use crate::shelf::Failure;

/// The reply to a CREATE that succeeded.
pub(super) const CREATED: &[u8] = b"RRD created OK";

/// Of an update that was refused while too many replies wait to be read.
pub(super) const NOT_TOLD: &[u8] =
    b"not taken or not acknowledged; too many replies wait to be read to say which";

/// Words as long as an error's words may be: they may quote a line of a megabyte.
pub(super) fn cut(words: &[u8]) -> &[u8] {
    words.get(..WORDS_BYTES_MAX).unwrap_or(words)
}

/// A path that `-B` forbids.
pub(super) fn denied(spelled: &[u8]) -> Vec<u8> {
    [spelled, b": Permission denied"].concat()
}

/// Of UPDATE.
pub(super) fn of_update(failure: &Failure, spelled: &[u8]) -> Vec<u8> {
    match failure {
        Failure::Missing => [b"No such file: ", spelled].concat(),
        Failure::Irregular => [b"Not a regular file: ", spelled].concat(),
        Failure::Rrd(words) => format!("RRD Error: {words}").into_bytes(),
        Failure::Told(words) => words.clone().into_bytes(),
    }
}

/// Of FLUSH.
pub(super) fn of_flush(failure: &Failure, spelled: &[u8]) -> Vec<u8> {
    match failure {
        Failure::Missing | Failure::Irregular => [b"No such file: ", spelled, b"."].concat(),
        other => of_update(other, spelled),
    }
}

/// Of what rrdtool's library does with a file, behind a prefix.
pub(super) fn of_library(prefix: &str, failure: &Failure, spelled: &[u8]) -> Vec<u8> {
    let prefix = prefix.as_bytes();
    match failure {
        Failure::Missing => {
            [prefix, b"opening '", spelled, b"': No such file or directory"].concat()
        }
        Failure::Irregular => [prefix, b"mmaping file '", spelled, b"': No such device"].concat(),
        Failure::Rrd(words) => [prefix, words.as_bytes()].concat(),
        Failure::Told(words) => words.clone().into_bytes(),
    }
}
