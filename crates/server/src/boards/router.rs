//! Maps URLs to boards.
//!
//! ```text
//!  GET   /boards                the list
//!        /board/NAME            a board           ?span=7d
//!        /board/NAME?full       on a wall         &rotate=30
//!        /board/new             composes one      ?toml=TEXT, &name=NAME, &download
//!        /board/NAME/edit       changes one
//!        /api/boards            the list as JSON
//!        /api/boards/NAME       the text of a board, with its ETag
//!  POST  /api/boards/preview    what a text shows
//!  PUT   /api/boards/NAME       keeps a board
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::board::{Board, TEXT_BYTES_MAX};
use super::composing::{self, Composing};
use super::context::BoardsContext;
use super::keeping::{Asker, keep};
use super::pages::{self, Asked, Listed, Next, Wall, words_for};
use super::reading::SPAN;
use super::shelf::{Kept, is_name};
use crate::data::BOARD_PREVIEW;
use crate::hosts::{self, Hosts};
use crate::peer::Peer;
use crate::router::{Words, html, made_apart, queried};
use crate::visitor::Visitor;

/// Seconds that a wall shows a board, if the number cannot be read.
const ROTATE_DEFAULT: u64 = 30;
/// What is told to those who may see some names only.
const NOT_ALL: &str = "This token is for some names; the text of a board may name any.";

/// All pages of boards, under the host names that the server answers to.
pub fn boards_router(context: BoardsContext, hosts: Hosts) -> Router {
    Router::new()
        .route("/boards", get(list))
        .route("/board/new", get(compose))
        .route("/board/{name}", get(board))
        .route("/board/{name}/edit", get(edit))
        .route("/api/boards", get(list_in_json))
        .route(BOARD_PREVIEW, post(preview))
        .route("/api/boards/{name}", get(text).put(save))
        .layer(DefaultBodyLimit::max(TEXT_BYTES_MAX + 1))
        .with_state(context)
        .layer(from_fn_with_state(hosts, hosts::check))
}

async fn list(State(context): State<BoardsContext>, visitor: Visitor) -> Response {
    made_apart(move || {
        let asked = Asked::new(&context, visitor);
        match all(&context) {
            Ok(boards) => html(StatusCode::OK, asked.list(&boards)),
            Err(error) => unreadable(&asked, &error),
        }
    })
    .await
}

/// All boards that are kept.
fn all(context: &BoardsContext) -> std::io::Result<Vec<Listed>> {
    let Some(shelf) = &context.shelf else { return Ok(Vec::new()) };
    let mut boards = Vec::new();
    for name in shelf.names()? {
        boards.extend(shelf.find(&name)?.map(|kept| Listed { name, kept }));
    }
    Ok(boards)
}

async fn board(
    State(context): State<BoardsContext>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(words): Words,
) -> Response {
    queried(move || {
        let asked = Asked::new(&context, visitor);
        let kept = match found(&asked, &name) {
            Ok(kept) => kept,
            Err(answer) => return *answer,
        };
        let board = match &kept.board {
            Ok(board) => board,
            Err(wrong) => {
                let page = pages::wrong(&asked, &name, &words_for(&asked.visitor, wrong));
                return html(StatusCode::INTERNAL_SERVER_ERROR, page);
            }
        };
        let span_seconds = match words.get("span").map(|word| SPAN.read(word)) {
            Some(None) => return bad_request(&asked, &no_span()),
            span_seconds => span_seconds.flatten(),
        };
        html(
            StatusCode::OK,
            match words.contains_key("full") {
                true => asked.wall(board, span_seconds, &wall(&context, &name, &words)),
                false => asked.board(&name, board, span_seconds),
            },
        )
    })
    .await
}

fn no_span() -> String {
    let (least, most) = (SPAN.least, SPAN.most);
    format!("The span is a number and a unit from {least} to {most}, such as 6h or 7d.")
}

/// What a wall shows after a board: the next one of the list, or of `among`.
fn wall(context: &BoardsContext, name: &str, words: &HashMap<String, String>) -> Wall {
    let Some(rotate) = words.get("rotate") else { return Wall { next: None } };
    let after_seconds = rotate.parse().unwrap_or(ROTATE_DEFAULT).clamp(5, 86400);
    let among = words.get("among").filter(|among| !among.is_empty());
    let names = match (among, &context.shelf) {
        (Some(among), _) => among.split(',').map(str::to_owned).collect(),
        (None, Some(shelf)) => shelf.names().unwrap_or_default(),
        (None, None) => Vec::new(),
    };
    let is_there = |name: &&String| {
        let kept = context.shelf.as_ref().and_then(|shelf| shelf.find(name).ok().flatten());
        kept.is_some_and(|kept| kept.board.is_ok())
    };
    let names: Vec<&String> = names.iter().filter(is_there).collect();
    let here = names.iter().position(|other| *other == name);
    let next = names.get(here.map_or(0, |here| here + 1)).or(names.first());
    let more = among.map_or_else(String::new, |among| {
        format!("&among={}", crate::pages::path::percent_encode(among))
    });
    let next = next.map(|next| Next {
        address: format!("/board/{next}?full&rotate={after_seconds}{more}"),
        after_seconds,
    });
    Wall { next }
}

async fn compose(
    State(context): State<BoardsContext>,
    visitor: Visitor,
    Query(words): Words,
) -> Response {
    queried(move || {
        let text = words.get("toml").map(|text| text.replace("\r\n", "\n"));
        // The form of a board that is changed without scripts brings its name along.
        let name = words.get("name").map(String::as_str).filter(|name| is_name(name));
        if let Some(text) = text.as_ref().filter(|_| words.contains_key("download")) {
            let file = format!("{}.toml", name.unwrap_or("board"));
            return toml(text.clone().into_bytes(), None, Some(&file));
        }
        let asked = Asked::new(&context, visitor);
        let tag = name.and_then(|_| words.get("tag")).map(String::as_str);
        let composing = Composing { name, tag, text: text.as_deref() };
        html(StatusCode::OK, composing.page(&asked))
    })
    .await
}

async fn edit(
    State(context): State<BoardsContext>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Response {
    queried(move || {
        let asked = Asked::new(&context, visitor);
        if !asked.visitor.scope.is_everything() {
            let page = pages::problem(&asked, "Not for this token", NOT_ALL);
            return html(StatusCode::FORBIDDEN, page);
        }
        match found(&asked, &name) {
            Ok(kept) => {
                let text = String::from_utf8_lossy(&kept.text);
                let composing =
                    Composing { name: Some(&name), tag: Some(&kept.tag), text: Some(&text) };
                html(StatusCode::OK, composing.page(&asked))
            }
            Err(answer) => *answer,
        }
    })
    .await
}

async fn list_in_json(State(context): State<BoardsContext>, visitor: Visitor) -> Response {
    made_apart(move || match all(&context) {
        Ok(boards) => {
            let boards = boards.iter().map(|Listed { name, kept }| match &kept.board {
                Ok(board) => json!({
                    "name": name,
                    "title": board.title,
                    "page": format!("/board/{name}"),
                    "panels": board.panels().count(),
                }),
                Err(wrong) => json!({ "name": name, "error": words_for(&visitor, wrong) }),
            });
            in_json(StatusCode::OK, &json!({ "boards": boards.collect::<Vec<_>>() }))
        }
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    })
    .await
}

async fn text(
    State(context): State<BoardsContext>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Response {
    made_apart(move || {
        if !visitor.scope.is_everything() {
            return refused(StatusCode::FORBIDDEN, NOT_ALL);
        }
        let kept = context.shelf.as_ref().map(|shelf| shelf.find(&name)).transpose();
        match kept.map(Option::flatten) {
            Ok(Some(kept)) => toml(kept.text.clone(), Some(&kept.tag), None),
            Ok(None) => refused(StatusCode::NOT_FOUND, &format!("there is no board {name}")),
            Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    })
    .await
}

async fn preview(State(context): State<BoardsContext>, visitor: Visitor, body: Bytes) -> Response {
    queried(move || match Board::read(&body) {
        Ok(board) => {
            let asked = Asked::new(&context, visitor);
            let text = String::from_utf8_lossy(&body);
            let shown = composing::shown(&asked, Some(&text)).into_string();
            in_json(StatusCode::OK, &json!({ "board": board, "html": shown }))
        }
        // It is what was asked for: a browser would tell of another status as of a failure.
        Err(wrong) => {
            let answer = json!({ "error": wrong.to_string(), "line": wrong.line });
            in_json(StatusCode::OK, &answer)
        }
    })
    .await
}

async fn save(
    State(context): State<BoardsContext>,
    visitor: Visitor,
    peer: Option<axum::Extension<Peer>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    made_apart(move || {
        let Some(shelf) = &context.shelf else {
            let words = "boards are not kept here: start with --boards DIRECTORY";
            return refused(StatusCode::NOT_FOUND, words);
        };
        let asker = Asker {
            visitor: &visitor,
            address: peer.map(|axum::Extension(peer)| peer.address),
            headers: &headers,
            is_guarded: context.data.takes_changes,
        };
        match keep(shelf, &asker, &name, &body) {
            Ok(tag) => {
                let body = json!({ "name": name, "page": format!("/board/{name}") });
                ([(header::ETAG, tag)], in_json(StatusCode::OK, &body)).into_response()
            }
            Err(refusal) => refused(refusal.status(), &refusal.to_string()),
        }
    })
    .await
}

/// A board that is kept, or the answer that there is none.
fn found(asked: &Asked<'_>, name: &str) -> Result<Arc<Kept>, Box<Response>> {
    let kept = asked.context.shelf.as_ref().map(|shelf| shelf.find(name)).transpose();
    match kept.map(Option::flatten) {
        Ok(Some(kept)) => Ok(kept),
        Ok(None) => {
            let page = pages::problem(asked, "Not found", &format!("There is no board {name}."));
            Err(html(StatusCode::NOT_FOUND, page).into())
        }
        Err(error) => Err(unreadable(asked, &error).into()),
    }
}

fn unreadable(asked: &Asked<'_>, error: &std::io::Error) -> Response {
    let words = format!("The directory of --boards cannot be read: {}", disk::system_words(error));
    let page = pages::problem(asked, "No boards", &words);
    html(StatusCode::INTERNAL_SERVER_ERROR, page)
}

fn bad_request(asked: &Asked<'_>, words: &str) -> Response {
    let page = pages::problem(asked, "That cannot be answered", words);
    html(StatusCode::BAD_REQUEST, page)
}

/// The text of a board; with a file's name it is downloaded.
fn toml(text: Vec<u8>, tag: Option<&str>, file: Option<&str>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/toml; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    let tag = tag.map(|tag| [(header::ETAG, tag.to_owned())]);
    let file = file
        .map(|file| [(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{file}\""))]);
    (headers, tag, file, text).into_response()
}

fn refused(status: StatusCode, words: &str) -> Response {
    in_json(status, &json!({ "error": words }))
}

fn in_json(status: StatusCode, value: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, value.to_string() + "\n").into_response()
}
