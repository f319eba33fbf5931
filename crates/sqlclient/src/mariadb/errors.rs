//! MariaDB's errors, by their numbers.

use std::io;

use mysql_async::{DriverError, Error as MysqlError, IoError};

use crate::Error;
use crate::error::{Kind, one_line};

/// The system's number for a full disk, as the server tells it.
const NO_SPACE: &str = "rcode: 28";

/// An error of a call.
pub(super) fn told(error: &MysqlError) -> Error {
    match error {
        MysqlError::Server(answer) => kind(answer.code, &answer.message)(one_line(&answer.message)),
        MysqlError::Driver(DriverError::BulkExecute(_) | DriverError::PacketTooLarge) => {
            Error::Constraint("a row has more bytes than the server takes at once".into())
        }
        MysqlError::Io(_) | MysqlError::Driver(_) => Error::Lost(one_line(&error.to_string())),
        MysqlError::Other(_) | MysqlError::Url(_) => Error::Other(one_line(&error.to_string())),
    }
}

/// An error of connecting, when a connection that breaks is one that was never made.
pub(super) fn at_login(error: &MysqlError) -> Error {
    match (error, told(error)) {
        (MysqlError::Io(IoError::Tls(error)), _) => tls(error),
        (MysqlError::Io(IoError::Io(error)), _) if is_of_tls(error) => tls(error),
        (MysqlError::Driver(DriverError::NoClientSslFlagFromServer), _) => {
            Error::Unreachable("TLS: the server has none".into())
        }
        (_, Error::Lost(words) | Error::Other(words)) => Error::Unreachable(words),
        (_, error) => error,
    }
}

fn tls(error: &dyn std::fmt::Display) -> Error {
    Error::Unreachable(one_line(&format!("TLS: {error}")))
}

fn is_of_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
}

/// Whether a variable is unknown that was to be set.
pub(super) fn is_unknown_variable(error: &MysqlError) -> bool {
    matches!(error, MysqlError::Server(answer) if answer.code == 1193)
}

fn kind(code: u16, message: &str) -> Kind {
    match code {
        // Access to a database, table, column, routine; the host; an account that is locked.
        1044 | 1045 | 1130 | 1142 | 1143 | 1227 | 1251 | 1370 | 1410 | 1698 | 1820 | 1862
        | 3118 | 4151 => Error::Refused,
        1040 | 1129 | 1203 | 1226 => Error::Unreachable, // too many clients, or too many failures
        // Keys, references, ranges, lengths, conditions; values that are missing.
        1048 | 1062 | 1169 | 1216 | 1217 | 1264 | 1265 | 1292 | 1364 | 1365 | 1366 | 1367
        | 1406 | 1451 | 1452 | 1525 | 1690 | 3819 | 4025 => Error::Constraint,
        1046 | 1047 | 1049 | 1050 | 1051 | 1054 | 1060 | 1061 | 1064 | 1072 | 1091 | 1109
        | 1118 | 1136 | 1146 | 1149 | 1176 | 1210 | 1305 | 1347 => Error::Schema,
        1036 | 1792 | 1836 | 1874 => Error::ReadOnly,
        1290 if message.contains("read-only") || message.contains("read_only") => Error::ReadOnly,
        1021 | 1114 => Error::Full,
        3 | 1026 | 1030 if message.contains(NO_SPACE) => Error::Full,
        1020 | 1205 | 1213 | 1412 | 1613 | 1614 => Error::Conflict,
        1969 | 3024 => Error::TimedOut,
        1053 | 1317 | 1927 | 2006 | 2013 => Error::Lost,
        _ => Error::Other,
    }
}
