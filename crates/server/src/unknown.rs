//! What a program is told that asks for something below `/api/` that is not there.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

/// Below it, programs expect answers in JSON.
const DATA: &str = "/api/";
/// Below it, they expect those of Prometheus.
const PROMETHEUS: &str = "/api/v1/";

/// The answer to a path that nothing answers; `None` if people ask there, who get a page.
pub(crate) fn no_path(path: &str) -> Option<Response> {
    path.starts_with(DATA).then(|| none_such(path, &format!("there is no path {path}")))
}

/// The answer to a path that leads to nothing, in the form that is usual there.
pub(crate) fn none_such(path: &str, words: &str) -> Response {
    let body = match path.starts_with(PROMETHEUS) {
        true => json!({ "status": "error", "errorType": "not_found", "error": words }),
        false => json!({ "error": words }),
    };
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::NOT_FOUND, headers, body.to_string()).into_response()
}

/// The answer to a question of a program that cannot be understood.
pub(crate) fn wrong(words: &str) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::BAD_REQUEST, headers, json!({ "error": words }).to_string()).into_response()
}
