//! Answers to requests.

use crate::Error;

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The media type.
    pub media_type: &'static str,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self { status: 200, media_type: "application/json", body }
    }

    pub(crate) fn of(media_type: &'static str, body: Vec<u8>) -> Self {
        Self { status: 200, media_type, body }
    }

    /// What is wrong with a request, as plain text: a line.
    pub(crate) fn error(error: &Error) -> Self {
        // A regular expression's error has several lines.
        let words = error.to_string();
        let lines: Vec<&str> = words.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        let body = format!("{}\n", lines.join(" ")).into_bytes();
        Self { status: error.status(), media_type: "text/plain; charset=utf-8", body }
    }

    pub(crate) fn from_result(result: Result<Self, Error>) -> Self {
        result.unwrap_or_else(|error| Self::error(&error))
    }
}
