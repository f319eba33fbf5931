//! SQLite's errors.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::Error;
use crate::error::{Kind, one_line};

/// An error of opening a file, which it names.
pub(super) fn at_opening(path: &Path, error: &rusqlite::Error) -> Error {
    let words = |message: String| format!("{}: {message}", path.display());
    if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
        return Error::Schema(words("expected a file of SQLite's, found another".into()));
    }
    kind(error)(words(one_line(&error.to_string())))
}

/// An error of a call.
pub(super) fn told(error: &rusqlite::Error) -> Error {
    kind(error)(one_line(&error.to_string()))
}

fn kind(error: &rusqlite::Error) -> Kind {
    match error {
        rusqlite::Error::SqliteFailure(failure, _)
        | rusqlite::Error::SqlInputError { error: failure, .. } => kind_of(failure.code),
        rusqlite::Error::InvalidParameterCount(..) => Error::Schema,
        _ => Error::Other,
    }
}

fn kind_of(code: ErrorCode) -> Kind {
    match code {
        ErrorCode::CannotOpen => Error::Unreachable,
        ErrorCode::OperationInterrupted => Error::TimedOut,
        ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => Error::Refused,
        ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig => {
            Error::Constraint
        }
        ErrorCode::Unknown | ErrorCode::NotADatabase | ErrorCode::ParameterOutOfRange => {
            Error::Schema // what it calls unknown is its code 1: the SQL and the schema
        }
        ErrorCode::ReadOnly => Error::ReadOnly,
        ErrorCode::DiskFull => Error::Full,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::SchemaChanged => {
            Error::Conflict
        }
        _ => Error::Other,
    }
}
