//! The system's errors as rrdtool tells them.

use std::io;

/// The system's words without its error's number.
pub(crate) fn system_words(error: &io::Error) -> String {
    match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::UnexpectedEof, _) => "the daemon hung up".into(),
        (io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut, _) => "no answer in time".into(),
        (_, Some(number)) => errno::Errno(number).to_string(),
        (_, None) => error.to_string(),
    }
}
