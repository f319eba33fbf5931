//! The index of all pages, as indexmaker writes it: the picture of each target, in columns.

use maud::{Markup, PreEscaped, html};
use mrtg::{Period, Target};

use crate::heading::first_heading;
use crate::html::text;
use crate::period::word;
use crate::places::Places;
use crate::style;

/// A part of the index: of many targets it has several, which link to each other.
pub struct Index<'i> {
    /// Its title.
    pub title: &'i str,
    /// How many targets stand beside each other.
    pub columns: u32,
    /// Seconds after which a browser reads it again.
    pub refresh_seconds: u64,
    /// The version of the program that writes it.
    pub version: &'i str,
    /// The link to the part before this one, if there is one.
    pub previous: Option<&'i str>,
    /// The link to the part behind this one, if there is one.
    pub next: Option<&'i str>,
}

impl Index<'_> {
    /// What stands before the targets.
    #[must_use]
    pub fn before(&self) -> String {
        let head = html! {
            (PreEscaped("<!DOCTYPE html>\n<html lang=\"en\">\n"))
            head {
                meta charset="UTF-8";
                meta http-equiv="refresh" content=(self.refresh_seconds);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (text(self.title)) }
                style { (PreEscaped(style::of_index(self.columns))) }
            }
            (PreEscaped("<body>\n"))
            (PreEscaped("<main>\n"))
            h1 { (text(self.title)) }
            (PreEscaped("<ul class=\"targets\">\n"))
        };
        head.into_string()
    }

    /// What stands behind the targets.
    #[must_use]
    pub fn behind(&self) -> String {
        let foot = html! {
            @if self.previous.is_some() || self.next.is_some() {
                nav {
                    @if let Some(link) = self.previous { a rel="prev" href=(link) { "Previous" } " " }
                    @if let Some(link) = self.next { a rel="next" href=(link) { "Next" } }
                }
            }
            footer #footer { address { "gyre " (self.version) } }
        };
        format!("</ul></main>\n{}</body></html>\n", foot.into_string())
    }
}

/// A target in the index.
pub struct Entry<'e> {
    /// The target.
    pub target: &'e Target,
    /// Where its files are.
    pub places: &'e Places,
    /// The text above its picture: HTML without tags.
    pub heading: String,
    /// Whether its page is there, so that it can be linked.
    pub has_page: bool,
    /// The picture that is shown, if one is.
    pub picture: Option<Period>,
}

impl<'e> Entry<'e> {
    /// A target under the first heading of its page, or else under its title.
    #[must_use]
    pub fn of(target: &'e Target, places: &'e Places, picture: Option<Period>) -> Self {
        let heading = target.page_top().as_deref().and_then(first_heading);
        let heading = heading.unwrap_or_else(|| target.title());
        let picture = picture.filter(|picture| !target.settings.suppress.has(*picture));
        Self { target, places, heading, has_page: true, picture }
    }

    /// The target as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let entry = html! {
            li {
                @if self.has_page {
                    h2 { a href=(self.places.page_link()) { (text(&self.heading)) } }
                    @if let Some(period) = self.picture { (self.linked(period)) }
                    (self.modified())
                } @else {
                    h2 { (text(&self.heading)) }
                    p.quiet { "no page" }
                }
            }
            "\n"
        };
        entry.into_string()
    }

    fn linked(&self, period: Period) -> Markup {
        let alt = format!("{} {} graph", self.target.name, word(period));
        html! {
            a href=(self.places.page_link()) {
                img.picture src=(self.places.picture_link(period)) alt=(alt) loading="lazy";
            }
        }
    }

    /// What a web server with server side includes replaces by the time of the page.
    fn modified(&self) -> Markup {
        let link = self.places.page_link();
        match link.contains("--") {
            true => Markup::default(),
            false => PreEscaped(format!(
                "<small class=\"quiet\"><!--#flastmod file=\"{link}\" --></small>"
            )),
        }
    }
}
