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
use axum::routing::{get, post};
use senders::influx::Precision;
use serde_json::json;

use super::arrivals::{Refusal, Sending};
use super::context::DataContext;
use super::form::Form;
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
        .route("/write", post(influx_1))
        .route("/api/v2/write", post(influx_2))
        .route(REMOTE_WRITE, post(remote))
        .route("/ping", get(async || StatusCode::NO_CONTENT))
}

async fn influx_1(
    State(context): State<DataContext>,
    visitor: Visitor,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    lines(&context, visitor, &uri, headers, body, Style::Influx1).await
}

async fn influx_2(
    State(context): State<DataContext>,
    visitor: Visitor,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    lines(&context, visitor, &uri, headers, body, Style::Influx2).await
}

async fn lines(
    context: &DataContext,
    visitor: Visitor,
    uri: &Uri,
    headers: HeaderMap,
    body: Bytes,
    style: Style,
) -> Response {
    let Some(arrivals) = context.arrivals.clone() else { return missing() };
    let precision = Form::of(uri, &HeaderMap::new(), &Bytes::new());
    let precision = Precision::of_word(precision.get("precision").unwrap_or_default());
    let asks_who = context.takes_changes;
    let sending = Sending { arrivals, asks_who, visitor, headers, body };
    stored(move || {
        style.answer(precision.ok_or(Refusal::Precision).and_then(|it| sending.take_lines(it)))
    })
    .await
}

async fn remote(
    State(context): State<DataContext>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(arrivals) = context.arrivals.clone() else { return missing() };
    let asks_who = context.takes_changes;
    let sending = Sending { arrivals, asks_who, visitor, headers, body };
    stored(move || Style::Text.answer(sending.take_remote())).await
}

/// The routes are there only where something answers them.
fn missing() -> Response {
    StatusCode::NOT_FOUND.into_response()
}
