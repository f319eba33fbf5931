//! Why a request for data is not answered.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use series::Unanswered;

/// A request that is not answered as asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// There is no such database, or it may not be seen.
    #[error("there is no database {0}")]
    NoDatabase(String),
    /// A part of the request is wrong.
    #[error("{what}: {why}")]
    Wrong {
        /// Which part.
        what: &'static str,
        /// What was expected.
        why: String,
    },
    /// Times that tell no stretch.
    #[error(transparent)]
    Span(#[from] crate::span::NoSpan),
    /// The client may not.
    #[error("{0}")]
    Forbidden(&'static str),
    /// Nobody more can listen to events.
    #[error(transparent)]
    Deaf(#[from] super::events::Deaf),
    /// A query is not answered.
    #[error(transparent)]
    Query(#[from] Unanswered),
    /// The store's error.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Problem {
    pub(crate) fn wrong(what: &'static str, why: impl ToString) -> Self {
        Self::Wrong { what, why: why.to_string() }
    }

    /// A number of a request that has bounds.
    pub(crate) fn check_count(
        what: &'static str,
        count: Option<usize>,
        default: usize,
        most: usize,
    ) -> Result<usize, Self> {
        match count.unwrap_or(default) {
            count if (1..=most).contains(&count) => Ok(count),
            count => Err(Self::wrong(what, format!("expected 1 to {most}, found {count}"))),
        }
    }

    fn status(&self) -> StatusCode {
        use store::Error;
        match self {
            Self::NoDatabase(_) => StatusCode::NOT_FOUND,
            Self::Span(_) | Self::Wrong { .. } | Self::Query(Unanswered::Pattern(_)) => {
                StatusCode::BAD_REQUEST
            }
            Self::Query(Unanswered::TooMuch { .. }) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Deaf(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Store(error) if error.is_missing() => StatusCode::NOT_FOUND,
            Self::Store(Error::Exists(_)) => StatusCode::CONFLICT,
            Self::Store(Error::Name(_)) => StatusCode::BAD_REQUEST,
            Self::Store(
                Error::Update { .. }
                | Error::Sample { .. }
                | Error::Edit { .. }
                | Error::TooLarge(_)
                | Error::BeyondFiles { .. },
            ) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Query(_) | Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let headers =
            [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
        let body = json!({ "error": self.to_string() }).to_string();
        (self.status(), headers, body).into_response()
    }
}
