//! The list of boards, a board, and a board on a wall.

use std::time::Instant;

use maud::{Markup, html};

use super::answering::charts;
use super::asking::Asking;
use super::board::{Board, Row};
use super::context::{BoardPages, BoardsContext};
use super::curve::Window;
use super::shelf::Kept;
use super::shown::Shown;
use super::span::seconds_of;
use super::wrong::WrongBoard;
use crate::assets::{self, Asset};
use crate::pages::{Place, path, refreshed_page};
use crate::tree::{self, TreeContext};
use crate::view::View;
use crate::visitor::Visitor;

/// How often a page without values refreshes itself.
const CALM_SECONDS: u64 = 300;
/// Spans that a page offers besides the board's own.
const SPANS: [&str; 6] = ["1h", "6h", "1d", "7d", "30d", "365d"];

/// One request for a page of boards.
pub(super) struct Asked<'a> {
    pub(super) context: &'a BoardsContext,
    pub(super) visitor: Visitor,
    around: Around<'a>,
}

/// What stands around the page.
enum Around<'a> {
    /// Pages of targets, as the visitor sees them.
    Targets(View),
    /// Pages of bare databases.
    Databases(&'a TreeContext),
}

/// A board of the list.
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) kept: std::sync::Arc<Kept>,
}

/// How a board is shown on a wall.
pub(super) struct Wall {
    /// The board that follows, and after how many seconds.
    pub(super) next: Option<Next>,
}

/// What a wall shows next.
pub(super) struct Next {
    /// Its address.
    pub(super) address: String,
    pub(super) after_seconds: u64,
}

impl<'a> Asked<'a> {
    pub(super) fn new(context: &'a BoardsContext, visitor: Visitor) -> Self {
        let around = match &context.pages {
            BoardPages::Targets(context) => Around::Targets(context.view(visitor.clone())),
            BoardPages::Databases(context) => Around::Databases(context),
        };
        Self { context, visitor, around }
    }

    /// The targets that the visitor may see; `None` without a configuration.
    pub(super) fn view(&self) -> Option<&View> {
        match &self.around {
            Around::Targets(view) => Some(view),
            Around::Databases(_) => None,
        }
    }

    /// A whole page.
    pub(super) fn page(
        &self,
        refresh_seconds: u64,
        title: &str,
        scripts: &[&Asset],
        main: Markup,
    ) -> Markup {
        match &self.around {
            Around::Databases(context) => {
                tree::around(context, refresh_seconds, title, scripts, main)
            }
            Around::Targets(view) => {
                refreshed_page(view, Place::Boards, refresh_seconds, title, scripts, main)
            }
        }
    }

    /// The page that lists all boards.
    pub(super) fn list(&self, boards: &[Listed]) -> Markup {
        let main = html! {
            div.heading { h1 { "Boards" } }
            p.actions { a.button href="/board/new" { "Compose a board" } }
            @if boards.is_empty() { (self.none()) } @else {
                ul.board-list { @for board in boards { li { (self.listed(board)) } } }
                p.actions {
                    a href={ "/board/" (boards[0].name) "?full&rotate=30" } {
                        "Show them one after the other, on the whole screen"
                    }
                }
            }
        };
        self.page(CALM_SECONDS, "Boards", &[], main)
    }

    fn none(&self) -> Markup {
        html! {
            div.empty {
                h2 { "No boards yet" }
                @if self.context.shelf.is_some() {
                    p { "The directory of " code { "--boards" } " has no file that ends in .toml." }
                } @else {
                    p {
                        "Start with " code { "--boards DIRECTORY" }
                        " to keep boards: each NAME.toml in it is one."
                    }
                }
            }
        }
    }

    fn listed(&self, board: &Listed) -> Markup {
        html! {
            a href={ "/board/" (path::percent_encode(&board.name)) } {
                b { (board.kept.board.as_ref().map_or(&board.name, |board| &board.title)) }
            }
            @match &board.kept.board {
                Ok(it) => small { (numbers_of(it)) },
                Err(wrong) => small.bad { (board.name) ".toml: " (words_for(&self.visitor, wrong)) },
            }
        }
    }

    /// A board among the other pages, over its own span or another one.
    pub(super) fn board(&self, name: &str, board: &Board, span_seconds: Option<u64>) -> Markup {
        let edit = format!("/board/{name}/edit");
        let main = html! {
            div.heading.board-heading {
                h1 { (board.title) }
                p.actions {
                    a.button href={ "/board/" (name) "?full" } { "Full screen" }
                    @if self.visitor.scope.is_everything() {
                        a.button href=(edit) { "Edit" }
                        a.button href={ "/api/boards/" (name) } download={ (name) ".toml" } { "TOML" }
                    }
                }
            }
            (spans(board, span_seconds))
            (self.live_rows(board, span_seconds))
        };
        self.page(board.refresh_seconds, &board.title, &[&assets::BOARD], main)
    }

    /// A board on a wall: without what stands around other pages.
    pub(super) fn wall(&self, board: &Board, span_seconds: Option<u64>, wall: &Wall) -> Markup {
        let next = wall.next.as_ref();
        let main = html! {
            div.wall data-next=[next.map(|next| &next.address)]
                data-next-seconds=[next.map(|next| next.after_seconds)] {
                @if let Some(Next { address, after_seconds }) = next {
                    noscript {
                        meta http-equiv="refresh" content={ (after_seconds) ";url=" (address) };
                    }
                }
                div.wall-head {
                    h1 { (board.title) }
                    p #wall-clock.clock { (self.clock()) }
                }
                p #wall-stale.stale-mark role="status" hidden {}
                (self.live_rows(board, span_seconds))
            }
        };
        self.page(board.refresh_seconds, &board.title, &[&assets::BOARD], main)
    }

    fn clock(&self) -> String {
        let pages = &self.context.pages;
        let minute = figures::minute(pages.now_seconds(), pages.zone());
        minute.get(11..16).unwrap_or_default().to_owned()
    }

    /// All rows of a board with what their panels show, to be replaced by later ones.
    fn live_rows(&self, board: &Board, span_seconds: Option<u64>) -> Markup {
        html! {
            // All of them at once: later there may be more rows, or fewer.
            div #board-rows data-live-section {
                @for (nth, row) in self.rows(board, span_seconds).into_iter().enumerate() {
                    section.board-row #{ "row-" (nth) } { (row) }
                }
            }
        }
    }

    /// Each row of a board with what its panels show.
    pub(super) fn rows(&self, board: &Board, span_seconds: Option<u64>) -> Vec<Markup> {
        let pages = &self.context.pages;
        let end_seconds = pages.now_seconds();
        let span_seconds = span_seconds.unwrap_or(board.span_seconds);
        let start_seconds = end_seconds.saturating_sub_unsigned(span_seconds);
        let window = Window { start_seconds, end_seconds };
        let asking = Asking {
            view: self.view(),
            data: &self.context.data,
            visitor: &self.visitor,
            window,
            begun: Instant::now(),
        };
        let row = |row: &Row| {
            let shown = Shown {
                window,
                zone: pages.zone(),
                is_titled: row.title.is_some(),
                tells_text: self.visitor.scope.is_everything(),
            };
            self.row(row, &asking, &shown)
        };
        board.rows.iter().map(row).collect()
    }

    fn row(&self, row: &Row, asking: &Asking<'_>, shown: &Shown<'_>) -> Markup {
        let panels = row.panels.iter().map(|panel| (panel, charts(asking, panel)));
        // One who may see some names is not told that there are others.
        let is_told = |shows: bool| shows || self.visitor.scope.is_everything();
        html! {
            @if let Some(title) = &row.title { h2 { (title) } }
            div.panels {
                @for (panel, charts) in panels {
                    @if is_told(charts.is_ok()) { (shown.panel(panel, &charts)) }
                }
            }
        }
    }
}

/// What is wrong about a text. Its words may be those of the text, which may name anything.
pub(super) fn words_for(visitor: &Visitor, wrong: &WrongBoard) -> String {
    match visitor.scope.is_everything() {
        true => wrong.to_string(),
        false => "its text is wrong".to_owned(),
    }
}

fn numbers_of(board: &Board) -> String {
    let panels = figures::some(board.panels().count() as u64, "panel", "panels");
    format!("{panels} · {}", figures::duration(board.span_seconds as f64))
}

/// Links to the same board over other spans.
fn spans(board: &Board, span_seconds: Option<u64>) -> Markup {
    let shown = span_seconds.unwrap_or(board.span_seconds);
    html! {
        nav.periods aria-label="Spans" {
            @for word in SPANS {
                a href={ "?span=" (word) }
                    aria-current=[(seconds_of(word) == Some(shown)).then_some("page")] { (word) }
            }
        }
    }
}

/// The page of a board whose text is wrong.
pub(super) fn wrong(asked: &Asked<'_>, name: &str, words: &str) -> Markup {
    let main = html! {
        div.heading { h1 { (name) } }
        p.trouble { (name) ".toml: " (words) }
        p.actions {
            a href="/boards" { "All boards" }
            @if asked.visitor.scope.is_everything() {
                a href={ "/board/" (name) "/edit" } { "Edit" }
            }
        }
    };
    asked.page(CALM_SECONDS, name, &[], main)
}

/// The page for something that does not exist, or cannot be answered.
pub(super) fn problem(asked: &Asked<'_>, title: &str, words: &str) -> Markup {
    let main = html! {
        div.empty {
            h1 { (title) }
            p { (words) }
            p { a href="/boards" { "All boards" } }
        }
    };
    asked.page(CALM_SECONDS, title, &[], main)
}
