//! Where agents send samples over HTTP.
//!
//! ```text
//!  POST /write         Influx' lines, as version 1 takes them  ?precision=s
//!       /api/v2/write  the same, as version 2
//!       /api/v1/write  Prometheus' remote write, version 1
//!  GET  /ping          says that there is somebody, for clients of Influx
//! ```
//!
//! An answer 204 says that the store acknowledges the samples. Those that came before, or late, are
//! counted and part of it: a sender would send them again for ever. Where some cannot be taken at
//! all, the others are, and the answer is 400 and says why; 503 asks to send all of it again.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use serde_json::json;

use super::arrivals::{Refusal, Sending};
use super::context::DataContext;
use crate::router::stored;
use crate::visitor::Visitor;

/// Where remote write is taken.
pub(super) const REMOTE_WRITE: &str = "/api/v1/write";

/// How a refusal is written.
#[derive(Clone, Copy, Debug)]
enum Style {
    Influx1,
    Influx2,
    Text,
}

impl Style {
    fn answer(self, taken: Result<(), Refusal>) -> Response {
        let Err(refusal) = taken else { return StatusCode::NO_CONTENT.into_response() };
        let words = refusal.to_string();
        let (media_type, body) = match self {
            Self::Influx1 => ("application/json", json!({ "error": words }).to_string()),
            Self::Influx2 => (
                "application/json",
                json!({ "code": refusal.code(), "message": words }).to_string(),
            ),
            Self::Text => ("text/plain; charset=utf-8", words),
        };
        let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-store")];
        (refusal.status(), headers, body + "\n").into_response()
    }
}

pub(super) fn router() -> Router<DataContext> {
    Router::new()
        .route("/write", taken(Style::Influx1, Sending::take_lines))
        .route("/api/v2/write", taken(Style::Influx2, Sending::take_lines))
        .route(REMOTE_WRITE, taken(Style::Text, Sending::take_remote))
        .route("/ping", get(async || StatusCode::NO_CONTENT))
}

/// Takes what is posted.
fn taken(style: Style, take: fn(&Sending) -> Result<(), Refusal>) -> MethodRouter<DataContext> {
    post(
        async move |State(context): State<DataContext>,
                    visitor: Visitor,
                    uri: Uri,
                    headers: HeaderMap,
                    body: Bytes| {
            // The routes are there only where something answers them.
            let Some(arrivals) = context.arrivals else {
                return StatusCode::NOT_FOUND.into_response();
            };
            let asks_who = context.takes_changes;
            let sending = Sending { arrivals, asks_who, visitor, uri, headers, body };
            stored(move || style.answer(take(&sending))).await
        },
    )
}
