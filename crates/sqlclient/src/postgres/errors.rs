//! PostgreSQL's errors, by their SQLSTATE.

use std::error::Error as _;
use std::io;

use tokio_postgres::error::DbError;

use super::misfit::Misfit;
use crate::Error;
use crate::error::{Kind, one_line};

/// An error of a call.
pub(super) fn told(error: &tokio_postgres::Error) -> Error {
    match error.as_db_error() {
        Some(answer) => kind(answer.code().code())(words(answer)),
        None => local_kind(error)(chain(error)),
    }
}

/// An error of connecting, when a connection that breaks is one that was never made.
pub(super) fn at_login(error: &tokio_postgres::Error) -> Error {
    match told(error) {
        Error::Lost(words) | Error::Other(words) => Error::Unreachable(words),
        error => error,
    }
}

fn words(answer: &DbError) -> String {
    match answer.detail() {
        Some(detail) => one_line(&format!("{} ({detail})", answer.message())),
        None => one_line(answer.message()),
    }
}

/// An error without an answer of the server.
fn local_kind(error: &tokio_postgres::Error) -> Kind {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<io::Error>() {
            return Error::Lost;
        }
        if inner.is::<Misfit>() {
            return Error::Constraint;
        }
        cause = inner.source();
    }
    if error.is_closed() { Error::Lost } else { Error::Other }
}

/// The error with what caused it.
fn chain(error: &tokio_postgres::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_words = inner.to_string();
        if !words.contains(&inner_words) {
            words += &format!(": {inner_words}");
        }
        cause = inner.source();
    }
    one_line(&words)
}

fn kind(state: &str) -> Kind {
    match state {
        "25006" => Error::ReadOnly,
        "42501" => Error::Refused,
        "53100" => Error::Full,
        "53300" | "57P03" => Error::Unreachable, // too many clients; starting, or shutting down
        "57014" => Error::TimedOut,
        "57P01" | "57P02" | "57P04" | "57P05" => Error::Lost,
        // A plan that a changed table made stale, a statement that is no longer prepared.
        "55P03" | "0A000" | "26000" => Error::Conflict,
        "3D000" | "3F000" => Error::Schema,
        _ => match state.get(..2).unwrap_or_default() {
            "08" => Error::Lost,
            "28" => Error::Refused,
            "21" | "22" | "23" | "44" => Error::Constraint,
            "40" => Error::Conflict,
            "42" => Error::Schema,
            _ => Error::Other,
        },
    }
}
