//! Maps URLs to pages of databases.

use access::Scope;
use axum::Router;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::counts::counts;
use super::graph::Wanted;
use super::rows::Rows;
use super::{TreeContext, Unanswered, pages, seen};
use crate::charts::{self, Asking, Finder, Form, Subject};
use crate::drawing::Format;
use crate::exposition::Dialect;
use crate::extent::Extent;
use crate::hosts::{self, Hosts};
use crate::period::Period;
use crate::router::{Words, asset, canvas, html, made_apart};
use crate::unknown;
use crate::visitor::Visitor;

/// All pages of a tree, under the host names that the server answers to.
pub fn tree_router(context: TreeContext, hosts: Hosts) -> Router {
    Router::new()
        .route("/", get(top))
        .route("/dir/{name}", get(directory))
        .route("/db/{name}", get(database))
        .route("/graph/{name}/{source}/{file}", get(graph))
        .route("/api/charts", get(api_charts))
        .route("/api/charts.csv", get(api_charts_table))
        .route("/store", get(store))
        .route("/metrics", get(metrics))
        .route("/assets/{hash}/{name}", get(asset))
        .fallback(missing)
        .with_state(context)
        .layer(from_fn_with_state(hosts, hosts::check))
}

async fn top(context: State<TreeContext>, visitor: Visitor, words: Words) -> Response {
    directory(context, visitor, Path(String::new()), words).await
}

async fn directory(
    State(context): State<TreeContext>,
    Visitor { scope, .. }: Visitor,
    Path(name): Path<String>,
    Query(words): Words,
) -> Response {
    made_apart(move || {
        if !scope.sees_directory(&name) {
            return no_directory(&context, &name);
        }
        let from = words.get("from").map_or("", String::as_str);
        match seen::list(&*context.tree, &scope, &name, from) {
            Ok(page) => html(StatusCode::OK, pages::directory(&context, &name, from, &page)),
            Err(_) => no_directory(&context, &name),
        }
    })
    .await
}

async fn database(
    State(context): State<TreeContext>,
    Visitor { scope, .. }: Visitor,
    Path(name): Path<String>,
    Query(words): Words,
) -> Response {
    made_apart(move || {
        let extent = match Extent::of(&words, Period::Day, (context.now)(), &context.zone) {
            Ok(extent) => extent,
            Err(wrong) => return bad_request(&context, &wrong.to_string()),
        };
        if !reaches(&context, &scope, &name) {
            return refused(&context, &name, &Unanswered::Missing);
        }
        match context.tree.outline(&name) {
            Ok(outline) => {
                let shown = pages::Shown { extent, words: &words };
                html(StatusCode::OK, pages::database(&context, &name, &outline, &shown))
            }
            Err(error) => refused(&context, &name, &error),
        }
    })
    .await
}

async fn graph(
    State(context): State<TreeContext>,
    Visitor { scope, .. }: Visitor,
    Path((name, source, file)): Path<(String, String, String)>,
    Query(words): Words,
) -> Response {
    made_apart(move || {
        let parts = file.split_once('.');
        let parts = parts.map(|(shown, end)| (shown, Format::named(end)));
        let Some((shown, Some(format))) = parts else {
            return not_found(&context, "There is no such graph.");
        };
        let extent = match (shown, Period::named(shown)) {
            ("span", _) => Extent::of(&words, Period::Day, (context.now)(), &context.zone),
            (_, Some(period)) => Ok(Extent::Last(period)),
            (_, None) => return not_found(&context, "There is no such graph."),
        };
        let extent = match extent {
            Ok(extent) => extent,
            Err(wrong) => return bad_request(&context, &wrong.to_string()),
        };
        let canvas = match canvas(&words) {
            Ok(canvas) => canvas,
            Err(words) => return bad_request(&context, words),
        };
        if !reaches(&context, &scope, &name) {
            return refused(&context, &name, &Unanswered::Missing);
        }
        match (Wanted { name: &name, source: &source, extent, canvas, format }).draw(&context) {
            Ok(image) => {
                let media_type = (header::CONTENT_TYPE, format.media_type());
                ([media_type, (header::CACHE_CONTROL, "no-store")], image).into_response()
            }
            Err(error) => refused(&context, &name, &error),
        }
    })
    .await
}

async fn api_charts(context: State<TreeContext>, visitor: Visitor, words: RawQuery) -> Response {
    charts_in(Form::Json, context, visitor, words).await
}

async fn api_charts_table(
    context: State<TreeContext>,
    visitor: Visitor,
    words: RawQuery,
) -> Response {
    charts_in(Form::Csv, context, visitor, words).await
}

async fn charts_in(
    form: Form,
    State(context): State<TreeContext>,
    Visitor { scope, .. }: Visitor,
    RawQuery(query): RawQuery,
) -> Response {
    made_apart(move || {
        let database = |name: &str| {
            let is_there = || context.tree.outline(name) != Err(Unanswered::Missing);
            (reaches(&context, &scope, name) && is_there()).then(|| Subject::of_database(name))
        };
        let finder = Finder { target: &|_| None, database: &database };
        let query = query.as_deref().unwrap_or_default();
        let (now_seconds, zone) = ((context.now)(), &context.zone);
        let asking = Asking { query, form, now_seconds, zone };
        charts::answer(&Rows(&*context.tree), &finder, &asking)
    })
    .await
}

async fn store(State(context): State<TreeContext>, Visitor { scope, .. }: Visitor) -> Response {
    made_apart(move || match scope.is_everything() {
        true => html(StatusCode::OK, counts(&context, &context.tree.metrics())),
        false => not_for_this_token(&context),
    })
    .await
}

async fn metrics(
    State(context): State<TreeContext>,
    Visitor { scope, .. }: Visitor,
    headers: HeaderMap,
) -> Response {
    if !scope.is_everything() {
        return not_for_this_token(&context);
    }
    let dialect = Dialect::asked_by(&headers);
    made_apart(move || {
        let TreeContext { tree, program, heard, .. } = &context;
        let text = super::metrics::text(program, &tree.metrics(), heard.as_ref(), dialect);
        let media_type = (header::CONTENT_TYPE, dialect.media_type());
        ([media_type, (header::CACHE_CONTROL, "no-store")], text).into_response()
    })
    .await
}

async fn missing(State(context): State<TreeContext>, uri: Uri) -> Response {
    if let Some(answer) = unknown::no_path(uri.path()) {
        return answer;
    }
    made_apart(move || not_found(&context, "There is no such page.")).await
}

/// Whether a name is one of the client's own, and leads to one.
fn reaches(context: &TreeContext, scope: &Scope, name: &str) -> bool {
    let leads_within = || context.tree.real_name(name).is_some_and(|real| scope.sees(&real));
    scope.is_everything() || (scope.sees(name) && leads_within())
}

fn refused(context: &TreeContext, name: &str, error: &Unanswered) -> Response {
    match error {
        Unanswered::Missing => not_found(context, &format!("There is no database {name}.")),
        error => {
            let page = pages::problem(context, "It does not answer", &error.to_string());
            html(StatusCode::INTERNAL_SERVER_ERROR, page)
        }
    }
}

fn not_for_this_token(context: &TreeContext) -> Response {
    let words = "This token is for some names; this is about all of them.";
    html(StatusCode::FORBIDDEN, pages::problem(context, "Not for this token", words))
}

fn no_directory(context: &TreeContext, name: &str) -> Response {
    not_found(context, &format!("There is no directory {name}."))
}

fn not_found(context: &TreeContext, words: &str) -> Response {
    html(StatusCode::NOT_FOUND, pages::problem(context, "Not found", words))
}

fn bad_request(context: &TreeContext, words: &str) -> Response {
    html(StatusCode::BAD_REQUEST, pages::problem(context, "That cannot be answered", words))
}
