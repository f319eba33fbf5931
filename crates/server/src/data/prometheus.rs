//! Prometheus' HTTP API.
//!
//! ```text
//!  GET, POST  /api/v1/query  /api/v1/query_range  /api/v1/series  /api/v1/labels
//!             /api/v1/metadata  /api/v1/format_query  /api/v1/query_exemplars (none)
//!  GET        /api/v1/label/NAME/values  /api/v1/status/buildinfo
//!             /api/v1/rules  /api/v1/alerts  /api/v1/alertmanagers  /api/v1/targets (none)
//!  POST       /api/v1/read               remote_read
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use lookup::Lookup;
use promql::Limits;
use promql::api::{self, Answer, Api, BuildInfo, Chosen, InstantQuery, Missing, RangeQuery};
use promql::remote_read;

use super::context::DataContext;
use super::form::Form;
use crate::router::queried;
use crate::visitor::Visitor;

/// How long a query may be worked on; Prometheus' own default.
const QUERY_MAX: Duration = Duration::from_secs(120);
/// The version whose answers these are: programs choose by it what they ask.
const VERSION: &str = "3.5.0";
const MICROS_PER_SECOND: i64 = 1_000_000;

/// What a request asks, after its form was read.
type Ask = fn(&Api<'_>, &Form) -> Answer;

pub(super) fn router() -> Router<DataContext> {
    Router::new()
        .route("/api/v1/query", asked(query))
        .route("/api/v1/query_range", asked(query_range))
        .route("/api/v1/series", asked(|api, form| with_chosen(form, |chosen| api.series(chosen))))
        .route("/api/v1/labels", asked(|api, form| with_chosen(form, |chosen| api.labels(chosen))))
        .route("/api/v1/label/{name}/values", get(label_values))
        .route("/api/v1/metadata", asked(metadata))
        .route("/api/v1/status/buildinfo", get(build_info))
        .route("/api/v1/format_query", asked(|api, form| api.format_query(text_of(form))))
        .route("/api/v1/query_exemplars", asked(|api, form| api.query_exemplars(text_of(form))))
        .route("/api/v1/rules", none_of(Missing::Rules))
        .route("/api/v1/alerts", none_of(Missing::Alerts))
        .route("/api/v1/alertmanagers", none_of(Missing::Alertmanagers))
        .route("/api/v1/targets", none_of(Missing::Targets))
        .route("/api/v1/read", post(read))
}

/// Answers that there are none: the lists are there for programs that ask for them at first.
fn none_of(missing: Missing) -> MethodRouter<DataContext> {
    get(async move || in_json(api::none_of(missing)))
}

fn text_of(form: &Form) -> &str {
    form.get("query").unwrap_or_default()
}

fn query(api: &Api<'_>, form: &Form) -> Answer {
    let query = text_of(form);
    api.query(&InstantQuery { query, time: form.get("time") })
}

fn query_range(api: &Api<'_>, form: &Form) -> Answer {
    let word = |name| form.get(name).unwrap_or_default();
    let (query, start, end, step) = (word("query"), word("start"), word("end"), word("step"));
    api.query_range(&RangeQuery { query, start, end, step })
}

fn metadata(api: &Api<'_>, form: &Form) -> Answer {
    api.metadata(form.get("metric"), form.get("limit"))
}

fn with_chosen(form: &Form, answer: impl FnOnce(&Chosen<'_>) -> Answer) -> Answer {
    let matches: Vec<&str> = form.all("match[]").collect();
    let times = [form.get("start"), form.get("end")];
    answer(&Chosen { matches: &matches, times, limit: form.get("limit") })
}

/// Answers a question by GET and by POST.
fn asked(ask: Ask) -> MethodRouter<DataContext> {
    let answered = async move |State(context): State<DataContext>,
                               visitor: Visitor,
                               uri: Uri,
                               headers: HeaderMap,
                               body: Bytes| {
        let form = Form::of(&uri, &headers, &body);
        answer(context, visitor, move |api| ask(api, &form)).await
    };
    get(answered).post(answered)
}

async fn label_values(
    State(context): State<DataContext>,
    visitor: Visitor,
    Path(name): Path<String>,
    uri: Uri,
) -> Response {
    let form = Form::of(&uri, &HeaderMap::new(), &Bytes::new());
    answer(context, visitor, move |api| {
        with_chosen(&form, |chosen| api.label_values(&name, chosen))
    })
    .await
}

async fn build_info() -> Response {
    let revision = concat!("gyre ", env!("CARGO_PKG_VERSION"));
    in_json(api::build_info(&BuildInfo { version: VERSION, revision }))
}

/// Answers with the series that a visitor may see.
async fn answer(
    context: DataContext,
    visitor: Visitor,
    ask: impl FnOnce(&Api<'_>) -> Answer + Send + 'static,
) -> Response {
    queried(move || {
        let source = seen(&context, visitor);
        let begun = Instant::now();
        in_json(ask(&Api {
            source: &source,
            limits: Limits::default(),
            now_micros: (context.now)() * MICROS_PER_SECOND,
            goes_on: &|| begun.elapsed() < QUERY_MAX,
        }))
    })
    .await
}

async fn read(State(context): State<DataContext>, visitor: Visitor, body: Bytes) -> Response {
    queried(move || {
        let source = seen(&context, visitor);
        let begun = Instant::now();
        let goes_on = || begun.elapsed() < QUERY_MAX;
        match remote_read::answer(&source, &body, Limits::default().values, &goes_on) {
            Ok(bytes) => {
                let headers = [
                    (header::CONTENT_TYPE, "application/x-protobuf"),
                    (header::CONTENT_ENCODING, "snappy"),
                ];
                (headers, bytes).into_response()
            }
            Err(refused) => (StatusCode::BAD_REQUEST, format!("{refused}\n")).into_response(),
        }
    })
    .await
}

/// The series of the databases that a visitor may see.
pub(crate) fn seen(context: &DataContext, visitor: Visitor) -> Lookup {
    let (reaching, scope) = (context.clone(), visitor.scope);
    context.lookup.seen_by(Arc::new(move |name| reaching.reaches(&scope, name)))
}

fn in_json(Answer { status, body }: Answer) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, body).into_response()
}
