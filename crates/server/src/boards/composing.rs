//! The page on which a board is composed. Without scripts it is the text of the board and what it
//! shows; scripts add rows and panels to choose and to move.

use maud::{Markup, html};

use super::board::Board;
use super::pages::Asked;
use crate::assets;

/// How often this page refreshes itself: never while somebody writes.
const REFRESH_SECONDS: u64 = 86400;
/// What a new board begins with.
const BEGINNING: &str = "title = \"New board\"\nrefresh = \"30s\"\nspan = \"1d\"\n";

/// A board that is composed.
pub(super) struct Composing<'a> {
    /// Its name, if it is kept already.
    pub(super) name: Option<&'a str>,
    /// The ETag of the text that is kept.
    pub(super) tag: Option<&'a str>,
    /// Its text; a beginning without.
    pub(super) text: Option<&'a str>,
}

impl Composing<'_> {
    /// The page.
    pub(super) fn page(&self, asked: &Asked<'_>) -> Markup {
        let title = self.name.map_or("New board".to_owned(), |name| format!("Edit {name}"));
        let text = self.text.unwrap_or(BEGINNING);
        let main = html! {
            div.heading { h1 { (title) } }
            div #composer.composer data-name=[self.name] data-tag=[self.tag]
                data-keeps[asked.context.shelf.is_some()]
                data-guarded[asked.context.data.takes_changes]
                data-targets[asked.view().is_some()] {
                (self.form(text))
                section #preview aria-label="What it shows" { (shown(asked, self.text)) }
            }
        };
        asked.page(REFRESH_SECONDS, &title, &[&assets::COMPOSE], main)
    }

    /// The text, to be changed by hand; a script puts choices before it.
    fn form(&self, text: &str) -> Markup {
        html! {
            form #board-form action="/board/new" method="get" {
                @if let Some(name) = self.name { input type="hidden" name="name" value=(name); }
                @if let Some(tag) = self.tag { input type="hidden" name="tag" value=(tag); }
                label for="board-text" { "The board as text (TOML)" }
                textarea #board-text name="toml" rows="14" spellcheck="false" autocomplete="off" {
                    // A browser drops the first line end within.
                    "\n" (text)
                }
                p.actions {
                    button type="submit" { "Show" }
                    button type="submit" name="download" value="1" { "Download" }
                }
            }
        }
    }
}

/// What a text shows, or why it does not.
pub(super) fn shown(asked: &Asked<'_>, text: Option<&str>) -> Markup {
    let Some(text) = text else { return html! {} };
    match Board::read(text.as_bytes()) {
        Ok(board) => html! {
            h2 { (board.title) }
            @for row in asked.rows(&board, None) { section.board-row { (row) } }
        },
        Err(wrong) => html! { p.trouble role="alert" { (wrong) } },
    }
}
