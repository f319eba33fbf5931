//! Maps URLs to data.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use access::{Role, Scope};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post, put};
use futures_util::stream;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::NamePattern;
use tokio::sync::mpsc::Receiver;

use super::context::DataContext;
use super::problem::Problem;
use super::{creation, graphite, names, openapi, prometheus, rows, samples, top, writes};
use crate::hosts::{self, Hosts};
use crate::router::{made_apart, queried};
use crate::visitor::Visitor;

/// How long nothing is sent to a client that listens to events.
const SILENCE: Duration = Duration::from_secs(10);
/// The most bytes of a request's body.
const BODY_BYTES_MAX: usize = 16 << 20;

/// What stands behind the question mark, or why it cannot be read.
type Words<T> = Result<Query<T>, QueryRejection>;

/// All requests for data, under the host names that the server answers to.
pub fn data_router(context: DataContext, hosts: Hosts) -> Router {
    let changes = match context.takes_changes {
        false => Router::new(),
        true => Router::new()
            .route("/api/databases/{name}", put(create).delete(delete))
            .route("/api/samples", post(update)),
    };
    let arrivals = match context.arrivals {
        None => Router::new(),
        Some(_) => writes::router(),
    };
    Router::new()
        .route("/api/databases", get(list))
        .route("/api/databases/{name}", get(about))
        .route("/api/databases/{name}/rows", get(some_rows))
        .route("/api/databases/{name}/last", get(last))
        .route("/api/top", get(largest))
        .route("/api/events", get(events))
        .route("/api/openapi.json", get(document))
        .merge(prometheus::router())
        .merge(graphite::router())
        .merge(changes)
        .merge(arrivals)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(context)
        .layer(from_fn_with_state(hosts, hosts::check))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    #[serde(default)]
    q: String,
    #[serde(default)]
    from: String,
    limit: Option<usize>,
}

async fn list(
    State(context): State<DataContext>,
    visitor: Visitor,
    words: Words<Listing>,
) -> Response {
    answered(move || {
        let Listing { q, from, limit } = asked(words)?;
        let is_seen = |name: &str| context.reaches(&visitor.scope, name);
        names::names(&context, &is_seen, &q, &from, limit)
    })
    .await
}

async fn about(
    State(context): State<DataContext>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Response {
    answered(move || {
        check_seen(&context, &visitor.scope, &name)?;
        rows::about(&context, &name)
    })
    .await
}

async fn some_rows(
    State(context): State<DataContext>,
    visitor: Visitor,
    Path(name): Path<String>,
    words: Words<rows::Asked>,
) -> Response {
    queried(move || {
        let rows = check_seen(&context, &visitor.scope, &name)
            .and_then(|()| asked(words))
            .and_then(|asked| rows::rows(&context, &name, &asked));
        rows.map_or_else(|problem| problem.into_response(), |rows| json(StatusCode::OK, rows))
    })
    .await
}

async fn last(
    State(context): State<DataContext>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Response {
    answered(move || {
        check_seen(&context, &visitor.scope, &name)?;
        rows::last(&context, &name)
    })
    .await
}

async fn largest(
    State(context): State<DataContext>,
    visitor: Visitor,
    words: Words<top::Asked>,
) -> Response {
    queried(move || {
        let lookup = prometheus::seen(&context, visitor);
        let top = asked(words).and_then(|asked| top::top(&context, &lookup, &asked));
        top.map_or_else(Problem::into_response, |top| json(StatusCode::OK, text(&top)))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listening {
    #[serde(default)]
    q: String,
}

async fn events(
    State(context): State<DataContext>,
    visitor: Visitor,
    words: Words<Listening>,
) -> Response {
    let begun = asked(words).and_then(|Listening { q }| {
        Ok(context.events.listen(NamePattern::meant(&q), visitor.scope)?)
    });
    match begun {
        Err(problem) => problem.into_response(),
        Ok(receiver) => {
            let headers =
                [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
            (headers, Body::from_stream(stream::unfold(receiver, next_event))).into_response()
        }
    }
}

/// The next event; a comment from time to time, so that both sides know that the other is there.
async fn next_event(
    mut receiver: Receiver<Arc<str>>,
) -> Option<(Result<String, Infallible>, Receiver<Arc<str>>)> {
    let text = match tokio::time::timeout(SILENCE, receiver.recv()).await {
        Ok(None) => return None,
        Ok(Some(event)) => event.to_string(),
        Err(_) => ":\n\n".to_owned(),
    };
    Some((Ok(text), receiver))
}

async fn update(State(context): State<DataContext>, visitor: Visitor, body: Bytes) -> Response {
    made_apart(move || {
        let taken =
            check_role(&visitor, Role::Write).and_then(|()| read(&body)).and_then(|posted| {
                samples::update(&context, &|name| context.reaches(&visitor.scope, name), &posted)
            });
        match taken {
            Err(problem) => problem.into_response(),
            Ok(samples::Taken { is_all: true, answer }) => json(StatusCode::OK, text(&answer)),
            Ok(samples::Taken { is_all: false, answer }) => {
                json(StatusCode::UNPROCESSABLE_ENTITY, text(&answer))
            }
        }
    })
    .await
}

async fn create(
    State(context): State<DataContext>,
    visitor: Visitor,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    made_apart(move || {
        let made = check_role(&visitor, Role::Write)
            .and_then(|()| check_seen(&context, &visitor.scope, &name))
            .and_then(|()| read(&body))
            .and_then(|wished| creation::create(&context, &name, &wished));
        match made {
            Ok(about) => json(StatusCode::CREATED, text(&about)),
            Err(problem) => problem.into_response(),
        }
    })
    .await
}

async fn delete(
    State(context): State<DataContext>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Response {
    made_apart(move || {
        let deleted = check_role(&visitor, Role::Admin)
            .and_then(|()| check_seen(&context, &visitor.scope, &name))
            .and_then(|()| creation::delete(&context, &name));
        match deleted {
            Ok(()) => StatusCode::NO_CONTENT.into_response(),
            Err(problem) => problem.into_response(),
        }
    })
    .await
}

async fn document(State(context): State<DataContext>) -> Response {
    answered(move || Ok(openapi::document(context.takes_changes))).await
}

async fn answered(make: impl FnOnce() -> Result<Value, Problem> + Send + 'static) -> Response {
    made_apart(move || match make() {
        Ok(value) => json(StatusCode::OK, text(&value)),
        Err(problem) => problem.into_response(),
    })
    .await
}

fn text(value: &Value) -> Vec<u8> {
    let mut text = value.to_string().into_bytes();
    text.push(b'\n');
    text
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, body).into_response()
}

/// What stands behind the question mark.
fn asked<T>(words: Words<T>) -> Result<T, Problem> {
    let Query(asked) = words.map_err(|error| Problem::wrong("query", error.body_text()))?;
    Ok(asked)
}

/// What a body says.
fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| Problem::wrong("body", error))
}

fn check_seen(context: &DataContext, scope: &Scope, name: &str) -> Result<(), Problem> {
    match context.reaches(scope, name) {
        true => Ok(()),
        false => Err(Problem::NoDatabase(name.to_owned())),
    }
}

/// Whether a client may change so much.
fn check_role(visitor: &Visitor, needed: Role) -> Result<(), Problem> {
    match visitor.role.includes(needed) {
        true => Ok(()),
        false => Err(Problem::Forbidden("this needs a token with a role that permits more")),
    }
}
