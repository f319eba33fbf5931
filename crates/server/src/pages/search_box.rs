//! The search box in the head of every page. Without scripts it leads to the page of results; with
//! `search.js` it shows results as one types.

use maud::{Markup, html};

/// What the box says.
pub(crate) struct SearchBox<'a> {
    /// What was searched for to get this page.
    pub(crate) text: &'a str,
    /// What can be found: `1,200 targets`.
    pub(crate) what: String,
}

impl SearchBox<'_> {
    /// The form.
    pub(super) fn form(&self) -> Markup {
        let label = format!("Search {}", self.what);
        html! {
            form #find.find role="search" action="/" method="get" {
                input #query type="text" inputmode="search" enterkeyhint="search" name="q"
                    value=(self.text) placeholder=(label) autocomplete="off" autocapitalize="none"
                    spellcheck="false" aria-label=(label) maxlength="200";
                kbd aria-hidden="true" title="Press / to search" { "/" }
                button type="submit" { "Search" }
            }
        }
    }
}
