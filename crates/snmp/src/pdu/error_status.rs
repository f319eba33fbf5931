//! The error status of a response (RFC 3416, section 3).

use std::fmt;

/// The result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorStatus {
    /// Success.
    NoError,
    /// The answer does not fit into a datagram.
    TooBig,
    /// v1: no such instance, or nothing follows it.
    NoSuchName,
    /// v1: a value of the wrong kind.
    BadValue,
    /// v1: cannot be set.
    ReadOnly,
    /// The agent failed, without further information.
    GenErr,
    /// v2c: not allowed.
    NoAccess,
    /// v2c: cannot be set.
    NotWritable,
    /// Any other number.
    Other(i32),
}

/// Each status with its number and its name in the standard.
const NAMES: [(ErrorStatus, i32, &str); 8] = [
    (ErrorStatus::NoError, 0, "noError"),
    (ErrorStatus::TooBig, 1, "tooBig"),
    (ErrorStatus::NoSuchName, 2, "noSuchName"),
    (ErrorStatus::BadValue, 3, "badValue"),
    (ErrorStatus::ReadOnly, 4, "readOnly"),
    (ErrorStatus::GenErr, 5, "genErr"),
    (ErrorStatus::NoAccess, 6, "noAccess"),
    (ErrorStatus::NotWritable, 17, "notWritable"),
];

impl ErrorStatus {
    /// From the number on the wire.
    pub fn from_code(code: i32) -> ErrorStatus {
        let known = NAMES.iter().find(|(_, number, _)| *number == code);
        known.map_or(ErrorStatus::Other(code), |(status, _, _)| *status)
    }

    /// The number on the wire.
    pub fn code(self) -> i32 {
        match self {
            ErrorStatus::Other(code) => code,
            known => NAMES.iter().find(|(status, _, _)| *status == known).map_or(0, |row| row.1),
        }
    }
}

impl fmt::Display for ErrorStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(status, _, _)| status == self) {
            Some((_, _, name)) => write!(f, "{name}"),
            None => write!(f, "error status {}", self.code()),
        }
    }
}
