//! The page for something that does not exist.

use maud::{Markup, html};

use super::frame::{Place, page};
use crate::view::View;

/// The page.
pub(crate) fn problem(view: &View, title: &str, words: &str) -> Markup {
    let main = html! {
        div.empty {
            h1 { (title) }
            p { (words) }
            p { a href="/" { "All targets" } }
        }
    };
    page(view, Place::Elsewhere, title, main)
}
