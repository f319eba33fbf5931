//! Graphite's HTTP API: the tree of metrics, tags, and `/render`.
//!
//! ```text
//!  GET, POST  /render  /metrics/find  /metrics/expand  /metrics/index.json
//!             /tags  /tags/...  /functions  /functions/NAME  /version  /events/get_data
//! ```

use std::time::{Duration, Instant};

use ::graphite::{Limits, Setting, Store, api};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use jiff::tz::TimeZone;

use super::context::DataContext;
use super::form::Form;
use super::prometheus::seen;
use crate::router::queried;
use crate::visitor::Visitor;

/// How long a request may be worked on.
const REQUEST_MAX: Duration = Duration::from_secs(60);
/// The paths that are answered. `/metrics` by itself is gyre's own.
const PATHS: [&str; 9] = [
    "/render",
    "/render/",
    "/metrics/{*rest}",
    "/tags",
    "/tags/{*rest}",
    "/functions",
    "/functions/{*rest}",
    "/version",
    "/events/get_data",
];

pub(super) fn router() -> Router<DataContext> {
    PATHS.iter().fold(Router::new(), |router, path| router.route(path, get(answer).post(answer)))
}

async fn answer(
    State(context): State<DataContext>,
    visitor: Visitor,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let form = Form::of(&uri, &headers, &body);
    queried(move || {
        let lookup = seen(&context, visitor);
        let begun = Instant::now();
        let setting = Setting {
            now_seconds: (context.now)(),
            zone: &context.zone,
            zone_named: &|name| TimeZone::get(name).ok(),
            limits: Limits::default(),
            goes_on: &|| begun.elapsed() < REQUEST_MAX,
        };
        let store = Store { paths: &lookup, source: &lookup };
        let parameters = api::Parameters::new(form.into_words());
        let Some(answer) = api::answer(uri.path(), &parameters, store, &setting) else {
            return (StatusCode::NOT_FOUND, "there is no such page\n").into_response();
        };
        let status = StatusCode::from_u16(answer.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers =
            [(header::CONTENT_TYPE, answer.media_type), (header::CACHE_CONTROL, "no-store")];
        (status, headers, answer.body).into_response()
    })
    .await
}
