//! Maps URLs to pages. Every answer is made on a thread that may wait for the disk.

use std::collections::HashMap;

use axum::Router;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use graph::Undrawn;
use maud::Markup;
use tokio::sync::Semaphore;

use crate::charts::{self, Asking, Finder, Form, Subject};
use crate::comparison::{Comparison, NoComparison};
use crate::drawing::{Format, Wanted};
use crate::exposition::Dialect;
use crate::extent::Extent;
use crate::graph_arguments::{Canvas, Paper, Size};
use crate::hosts::{self, Hosts};
use crate::pages::{self, DeviceQuestion, DevicesQuestion, Question};
use crate::period::Period;
use crate::ranks::{self, Asked, Told, What, told};
use crate::url_words::UrlWords;
use crate::view::{Context, View, refresh_seconds};
use crate::visitor::Visitor;
use crate::{Target, api, assets, own_graph, search, unknown};

/// The content security policy: pages may only load our own images, styles and scripts. HTML that
/// an operator, or through cfgmaker a device, put into a page can neither run nor load anything.
const CONTENT_POLICY: &str = "default-src 'none'; img-src 'self' data:; style-src 'self'; \
    script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

pub(crate) type Words = Query<HashMap<String, String>>;

/// The most answers that are made at the same time. They need the processors: more at once would
/// only slow one another down.
pub(crate) const ANSWERS_MAX: usize = 8;

/// After so many seconds a page is loaded again whose list is being made.
const AGAIN_SECONDS: &str = "1";
/// What is said to those who may not see all names.
const OF_ALL: &str = "This token is for some names; this is about all of them.";

/// Below it is what is known of a target.
const API_TARGETS: &str = "/api/targets/";

/// The permits to make an answer.
static ANSWERS: Semaphore = Semaphore::const_new(ANSWERS_MAX);
/// The permits to answer a query, which may take minutes: pages have the others.
static QUERIES: Semaphore = Semaphore::const_new(ANSWERS_MAX / 2);
/// The permits to store samples: of the rest, queries and pages have some.
static STORES: Semaphore = Semaphore::const_new(ANSWERS_MAX / 4);

/// All pages, under the names that the server answers to.
pub fn router(context: Context, hosts: Hosts) -> Router {
    context.prepare();
    Router::new()
        .route("/", get(index))
        .route("/t/{name}", get(target))
        .route("/graph/{name}/{file}", get(target_graph))
        .route("/devices", get(devices))
        .route("/device/{name}", get(device))
        .route("/compare", get(compare))
        .route("/compare/{file}", get(compared_graph))
        .route("/status", get(status))
        .route("/top", get(top))
        .route("/store", get(store_page))
        .route("/store/{key}/{file}", get(store_graph))
        .route("/api/ranks", get(api_ranks))
        .route("/metrics", get(metrics))
        .route("/api/status.json", get(api_status))
        .route("/api/charts", get(api_charts))
        .route("/api/charts.csv", get(api_charts_table))
        .route("/api/search", get(api_search))
        .route("/api/targets.json", get(api_targets))
        .route("/api/targets/{name}", get(api_target))
        .route("/assets/{hash}/{name}", get(asset))
        .fallback(missing)
        .with_state(context)
        .layer(from_fn_with_state(hosts, hosts::check))
}

async fn index(State(context): State<Context>, visitor: Visitor, Query(words): Words) -> Response {
    answer(context, visitor, move |view| {
        let Some(page) = page_number(&words) else { return bad_request(view, WRONG_PAGE) };
        let question = Question {
            query: words.get("q").cloned().unwrap_or_default(),
            silent_only: words.contains_key("silent"),
            page,
        };
        html(StatusCode::OK, pages::index(view, &question))
    })
    .await
}

/// What is said of a page that is not one.
const WRONG_PAGE: &str = "The page must be a number from 1.";

/// The page that is asked for, counted from 0; `None` if it is not valid.
fn page_number(words: &HashMap<String, String>) -> Option<usize> {
    match words.get("page") {
        None => Some(0),
        Some(text) => text.parse::<usize>().ok()?.checked_sub(1),
    }
}

async fn devices(
    State(context): State<Context>,
    visitor: Visitor,
    Query(words): Words,
) -> Response {
    answer(context, visitor, move |view| {
        let Some(page) = page_number(&words) else { return bad_request(view, WRONG_PAGE) };
        let question = DevicesQuestion {
            site: words.get("site").cloned(),
            silent_only: words.contains_key("silent"),
            page,
        };
        html(StatusCode::OK, pages::devices(view, &question))
    })
    .await
}

async fn device(
    State(context): State<Context>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(words): Words,
) -> Response {
    answer(context, visitor, move |view| {
        let question = match device_question(&words) {
            Ok(question) => question,
            Err(wrong) => return bad_request(view, wrong),
        };
        match pages::device(view, &name, &question) {
            Some(page) => html(StatusCode::OK, page),
            None => not_found(view, &format!("No device is called {name}.")),
        }
    })
    .await
}

fn device_question(words: &HashMap<String, String>) -> Result<DeviceQuestion, &'static str> {
    let word = |key: &str| words.get(key).map(String::as_str);
    let period = match word("period") {
        None => Period::Day,
        Some(name) => Period::named(name).ok_or("The period is hour, day, week, month or year.")?,
    };
    Ok(DeviceQuestion {
        period,
        is_shared: match word("scale") {
            None | Some("own") => false,
            Some("shared") => true,
            Some(_) => return Err("The scale is own or shared."),
        },
        by_traffic: match word("sort") {
            None | Some("port") => false,
            Some("traffic") => true,
            Some(_) => return Err("The order is by port or by traffic."),
        },
        page: page_number(words).ok_or(WRONG_PAGE)?,
    })
}

async fn api_search(
    State(context): State<Context>,
    visitor: Visitor,
    Query(words): Words,
) -> Response {
    answer(context, visitor, move |view| {
        let limit = words.get("limit").map_or(Ok(search::RESULTS_DEFAULT), |text| text.parse());
        let Ok(limit) = limit else { return bad_request(view, "limit must be a number.") };
        let text = words.get("q").map_or("", String::as_str);
        json(&search::answer(view, text, limit))
    })
    .await
}

async fn target(
    State(context): State<Context>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(words): Words,
) -> Response {
    answer(context, visitor, move |view| {
        let Some(target) = view.find(&name) else { return no_target(view, &name) };
        match Extent::of(&words, Period::Day, view.now_seconds, &view.zone) {
            Ok(extent) => html(StatusCode::OK, pages::target(view, &target, extent, &words)),
            Err(wrong) => bad_request(view, &wrong.to_string()),
        }
    })
    .await
}

async fn compare(
    State(context): State<Context>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Response {
    answer(context, visitor, move |view| {
        let words = UrlWords::of(query.as_deref().unwrap_or_default());
        match Comparison::of(view, &words) {
            Ok(comparison) => html(StatusCode::OK, pages::compare(view, &comparison, &words)),
            Err(NoComparison::NoTarget(name)) => no_target(view, &name),
            Err(wrong) => bad_request(view, &wrong.to_string()),
        }
    })
    .await
}

async fn compared_graph(
    State(context): State<Context>,
    visitor: Visitor,
    Path(file): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    answer(context, visitor, move |view| {
        let words = UrlWords::of(query.as_deref().unwrap_or_default());
        let parts = file.split_once('.');
        let Some((plot, Some(format))) = parts.map(|(plot, end)| (plot, Format::named(end))) else {
            return not_found(view, "There is no such graph.");
        };
        let canvas = match canvas(&words.single()) {
            Ok(canvas) => canvas,
            Err(words) => return bad_request(view, words),
        };
        let comparison = match Comparison::of(view, &words) {
            Ok(comparison) => comparison,
            Err(NoComparison::NoTarget(name)) => return no_target(view, &name),
            Err(wrong) => return bad_request(view, &wrong.to_string()),
        };
        let Some(arguments) =
            comparison.arguments(plot, canvas, format, |it| it.database.to_string())
        else {
            return not_found(view, "There is no such graph.");
        };
        match crate::drawing::draw(view, &arguments) {
            Ok(bytes) => {
                let kind = (header::CONTENT_TYPE, format.media_type());
                ([kind, (header::CACHE_CONTROL, "no-store")], bytes).into_response()
            }
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    })
    .await
}

async fn target_graph(
    State(context): State<Context>,
    visitor: Visitor,
    Path((name, file)): Path<(String, String)>,
    Query(words): Words,
    headers: HeaderMap,
) -> Response {
    answer(context, visitor, move |view| {
        let Some(target) = view.find(&name) else {
            return no_target(view, &name);
        };
        match wanted(view, &target, &file, &words) {
            Ok(wanted) => image(view, &wanted, &headers),
            Err(Refused::Missing) => not_found(view, "There is no such graph."),
            Err(Refused::Wrong(words)) => bad_request(view, &words),
        }
    })
    .await
}

/// Why a URL leads to no graph.
enum Refused {
    Missing,
    Wrong(String),
}

fn wanted<'a>(
    view: &View,
    target: &'a Target,
    file: &str,
    words: &HashMap<String, String>,
) -> Result<Wanted<'a>, Refused> {
    let (period, format) = file.split_once('.').ok_or(Refused::Missing)?;
    let extent = match period {
        "span" => Extent::of(words, Period::Day, view.now_seconds, &view.zone)
            .map_err(|wrong| Refused::Wrong(wrong.to_string()))?,
        name => Extent::Last(Period::named(name).ok_or(Refused::Missing)?),
    };
    Ok(Wanted {
        target,
        extent,
        format: Format::named(format).ok_or(Refused::Missing)?,
        canvas: canvas(words).map_err(|words| Refused::Wrong(words.to_owned()))?,
    })
}

/// The background and size of an image, from the query; an error if they are not valid.
pub(crate) fn canvas(words: &HashMap<String, String>) -> Result<Canvas, &'static str> {
    let word = |key: &str| words.get(key).map(String::as_str);
    Ok(Canvas {
        paper: match word("paper") {
            None | Some("light") => Paper::Light,
            Some("dark") => Paper::Dark,
            Some(_) => return Err("paper is light or dark."),
        },
        size: match word("size") {
            None | Some("full") => Size::Full,
            Some("narrow") => Size::Narrow,
            Some("spark") => Size::Spark,
            Some(_) => return Err("size is full, narrow or spark."),
        },
    })
}

fn image(view: &View, wanted: &Wanted<'_>, headers: &HeaderMap) -> Response {
    let keep_seconds = refresh_seconds(wanted.target.look.step_seconds) / 2;
    let caching = Caching { tag: wanted.tag(view), keep_seconds };
    caching.image(headers, wanted.format, || wanted.draw(view))
}

/// How long an image is fresh, and by what it is known again.
struct Caching {
    tag: String,
    keep_seconds: u64,
}

impl Caching {
    /// An image, or `304 Not Modified` if the browser has it already.
    fn image(
        self,
        headers: &HeaderMap,
        format: Format,
        draw: impl FnOnce() -> Result<Vec<u8>, Undrawn<store::Error>>,
    ) -> Response {
        let Self { tag, keep_seconds } = self;
        let known = headers.get(header::IF_NONE_MATCH);
        let is_known = known.is_some_and(|known| {
            let tags = known.to_str().unwrap_or_default().split(',');
            tags.map(str::trim).any(|known| known == tag)
        });
        // The image is fresh until the page refreshes; then the browser asks again with the ETag.
        let keep = format!("private, max-age={keep_seconds}");
        let caching = [(header::ETAG, tag), (header::CACHE_CONTROL, keep)];
        if is_known {
            return (StatusCode::NOT_MODIFIED, caching).into_response();
        }
        match draw() {
            Ok(bytes) => {
                (caching, [(header::CONTENT_TYPE, format.media_type())], bytes).into_response()
            }
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    }
}

async fn status(State(context): State<Context>, visitor: Visitor) -> Response {
    answer_of_all(context, visitor, |view| html(StatusCode::OK, pages::status(view))).await
}

async fn top(State(context): State<Context>, visitor: Visitor, Query(words): Words) -> Response {
    answer(context, visitor, move |view| {
        let asked = match Asked::read(&words) {
            Ok(asked) => asked,
            Err(error) => return bad_request(view, &format!("{error}.")),
        };
        let told = match asked.what {
            What::Targets(by) => Some(told(view, &asked, by)),
            What::Broken => None,
            What::Slow | What::Failing if view.is_of_everything() => None,
            What::Slow | What::Failing => return forbidden(view, OF_ALL),
        };
        let page = html(StatusCode::OK, pages::top(view, &asked, told.as_ref()));
        let is_under_way = matches!(told, Some(Told::Reading { .. } | Told::Waiting { .. }));
        match is_under_way {
            true => ([(header::REFRESH, AGAIN_SECONDS)], page).into_response(),
            false => page,
        }
    })
    .await
}

async fn api_ranks(
    State(context): State<Context>,
    visitor: Visitor,
    Query(words): Words,
) -> Response {
    answer(context, visitor, move |view| {
        let wrong = |words: String| unknown::wrong(&words);
        let asked = match Asked::read(&words) {
            Ok(asked) => asked,
            Err(error) => return wrong(error.to_string()),
        };
        match asked.what {
            What::Targets(by) => json(&ranks::json(view, &asked, by, &told(view, &asked, by))),
            What::Broken => json(&api::broken_limits(view)),
            What::Slow | What::Failing => {
                wrong("by: devices are told by /api/status.json".to_owned())
            }
        }
    })
    .await
}

async fn store_page(
    State(context): State<Context>,
    visitor: Visitor,
    Query(words): Words,
) -> Response {
    answer_of_all(context, visitor, move |view| {
        let period = match words.get("period") {
            None => Some(Period::Day),
            Some(name) => Period::named(name),
        };
        let Some(period) = period else {
            return bad_request(view, "period is hour, day, week, month or year.");
        };
        html(StatusCode::OK, pages::store(view, view.own().as_ref(), period))
    })
    .await
}

async fn store_graph(
    State(context): State<Context>,
    visitor: Visitor,
    Path((key, file)): Path<(String, String)>,
    Query(words): Words,
    headers: HeaderMap,
) -> Response {
    answer_of_all(context, visitor, move |view| {
        let parts = file.split_once('.');
        let parts = parts.map(|(period, end)| (Period::named(period), Format::named(end)));
        let own = view.own();
        let series = own.iter().flat_map(|own| &own.series).find(|series| series.key == key);
        let (Some((Some(period), Some(format))), Some(series)) = (parts, series) else {
            return not_found(view, "There is no such graph.");
        };
        let canvas = match canvas(&words) {
            Ok(canvas) => canvas,
            Err(words) => return bad_request(view, words),
        };
        let caching = Caching {
            tag: own_graph::tag(view, series, period, canvas),
            keep_seconds: refresh_seconds(series.step_seconds) / 2,
        };
        caching.image(&headers, format, || own_graph::draw(view, series, period, canvas, format))
    })
    .await
}

async fn metrics(
    State(context): State<Context>,
    visitor: Visitor,
    Query(words): Words,
    headers: HeaderMap,
) -> Response {
    let dialect = Dialect::asked_by(&headers);
    answer_of_all(context, visitor, move |view| {
        let with_devices = match words.get("devices").map(String::as_str) {
            None | Some("none") => false,
            Some("all") => true,
            Some(_) => return bad_request(view, "devices is all or none."),
        };
        let media_type = (header::CONTENT_TYPE, dialect.media_type());
        let headers = [media_type, (header::CACHE_CONTROL, "no-store")];
        (headers, crate::metrics::metrics(view, dialect, with_devices)).into_response()
    })
    .await
}

async fn api_status(State(context): State<Context>, visitor: Visitor) -> Response {
    answer_of_all(context, visitor, |view| json(&api::status(view))).await
}

async fn api_targets(
    State(context): State<Context>,
    visitor: Visitor,
    Query(words): Words,
) -> Response {
    answer(context, visitor, move |view| {
        let number = |key: &str, default: usize| match words.get(key) {
            None => Some(default),
            Some(text) => text.parse().ok(),
        };
        let numbers = (number("first", 0), number("limit", api::TARGETS_DEFAULT));
        let (Some(first), Some(limit)) = numbers else {
            return bad_request(view, "first and limit must be numbers.");
        };
        let query = words.get("q").map_or("", String::as_str);
        json(&api::targets(view, query, first, limit))
    })
    .await
}

async fn api_target(
    State(context): State<Context>,
    visitor: Visitor,
    Path(file): Path<String>,
) -> Response {
    answer(context, visitor, move |view| {
        let name = file.strip_suffix(".json").unwrap_or(&file);
        match view.find(name) {
            Some(target) => json(&api::target(view, &target)),
            None => unknown::none_such(API_TARGETS, &format!("there is no target {name}")),
        }
    })
    .await
}

async fn api_charts(context: State<Context>, visitor: Visitor, words: RawQuery) -> Response {
    charts_in(Form::Json, context, visitor, words).await
}

async fn api_charts_table(context: State<Context>, visitor: Visitor, words: RawQuery) -> Response {
    charts_in(Form::Csv, context, visitor, words).await
}

async fn charts_in(
    form: Form,
    State(context): State<Context>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Response {
    answer(context, visitor, move |view| {
        let finder = Finder {
            target: &|name| view.find(name).map(|target| Subject::of_target(&target)),
            database: &|_| None, // a configuration names its databases as targets
        };
        let query = query.as_deref().unwrap_or_default();
        let (now_seconds, zone) = (view.now_seconds, &view.zone);
        charts::answer(&*view.store, &finder, &Asking { query, form, now_seconds, zone })
    })
    .await
}

pub(crate) async fn asset(Path((_, name)): Path<(String, String)>) -> Response {
    match assets::named(&name) {
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, asset.media_type),
                (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
            ];
            (headers, asset.content).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn missing(State(context): State<Context>, uri: Uri, visitor: Visitor) -> Response {
    if let Some(answer) = unknown::no_path(uri.path()) {
        return answer;
    }
    answer(context, visitor, |view| not_found(view, "There is no such page.")).await
}

/// An answer about the targets of a configuration.
async fn answer(
    context: Context,
    visitor: Visitor,
    make: impl FnOnce(&View) -> Response + Send + 'static,
) -> Response {
    made_apart(move || make(&context.view(visitor))).await
}

/// An answer about all devices together, which is for those who may see every name.
async fn answer_of_all(
    context: Context,
    visitor: Visitor,
    make: impl FnOnce(&View) -> Response + Send + 'static,
) -> Response {
    answer(context, visitor, |view| match view.is_of_everything() {
        true => make(view),
        false => forbidden(view, OF_ALL),
    })
    .await
}

/// Makes an answer on a thread of its own, so that waiting for the store delays no other client.
pub(crate) async fn made_apart(make: impl FnOnce() -> Response + Send + 'static) -> Response {
    // If the client leaves while its request waits here, the request is dropped and its answer
    // never made.
    let permit = ANSWERS.acquire().await;
    let made = tokio::task::spawn_blocking(move || {
        let _permit = permit; // a client that leaves now does not make room for one more
        make()
    });
    let made = made.await;
    let mut response = made.unwrap_or_else(|_| {
        // The thread panicked; the panic is already reported.
        (StatusCode::INTERNAL_SERVER_ERROR, "an error of the program").into_response()
    });
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}

/// The same for samples that are stored, which may wait for a disk.
pub(crate) async fn stored(make: impl FnOnce() -> Response + Send + 'static) -> Response {
    within(&STORES, make).await
}

/// The same for a query that may take long.
pub(crate) async fn queried(make: impl FnOnce() -> Response + Send + 'static) -> Response {
    within(&QUERIES, make).await
}

/// The same with a permit that is kept until the answer is made, whether the client leaves or not.
async fn within(
    permits: &'static Semaphore,
    make: impl FnOnce() -> Response + Send + 'static,
) -> Response {
    let permit = permits.acquire().await;
    made_apart(move || {
        let _permit = permit;
        make()
    })
    .await
}

pub(crate) fn html(status: StatusCode, markup: Markup) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, markup.into_string()).into_response()
}

pub(crate) fn json(value: &impl serde::Serialize) -> Response {
    let text = match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => {
            return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response();
        }
    };
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, text).into_response()
}

fn no_target(view: &View, name: &str) -> Response {
    not_found(view, &format!("No target is called {name}."))
}

fn not_found(view: &View, words: &str) -> Response {
    let page = pages::problem(view, "Not found", words);
    html(StatusCode::NOT_FOUND, page)
}

fn forbidden(view: &View, words: &str) -> Response {
    html(StatusCode::FORBIDDEN, pages::problem(view, "Not for this token", words))
}

fn bad_request(view: &View, words: &str) -> Response {
    let page = pages::problem(view, "That cannot be answered", words);
    html(StatusCode::BAD_REQUEST, page)
}
