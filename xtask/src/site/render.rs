//! A document as a page of HTML, and what the search finds of it.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use serde::Serialize;

use super::contents::{GROUPS, MANUAL};
use super::documents::{Document, place_of, resolved, slug};

/// A page.
pub(super) struct Page {
    pub(super) html: String,
    pub(super) entries: Vec<Entry>,
}

/// What the search knows of a section.
#[derive(Serialize)]
pub(super) struct Entry {
    /// Where it is.
    url: String,
    /// The page, and the heading.
    title: String,
    text: String,
}

pub(super) fn page(document: &Document, all: &[Document]) -> Page {
    let events = with_anchors(Parser::new_ext(&document.text, Options::ENABLE_TABLES).collect());
    let entries = entries(document, &events);
    let mut body = String::new();
    html::push_html(&mut body, with_links(document, all, events).into_iter());
    let up = up(document);
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} - gyre</title>\n<link rel=\"stylesheet\" href=\"{up}style.css\">\n\
         <script src=\"{up}search-index.js\" defer></script>\n\
         <script src=\"{up}search.js\" data-up=\"{up}\" defer></script>\n</head>\n<body>\n\
         <header><a href=\"{up}index.html\">gyre</a>\n<form role=\"search\"><label>Search \
         <input id=\"search\" type=\"search\" autocomplete=\"off\"></label></form></header>\n\
         <ol id=\"found\" hidden></ol>\n<div class=\"columns\">\n{}<main>\n{body}</main>\n</div>\n\
         </body>\n</html>\n",
        escaped(&document.title),
        list(document, all)
    );
    Page { html, entries }
}

/// The way from a page up to the site.
fn up(document: &Document) -> String {
    "../".repeat(document.place.matches('/').count())
}

/// The list of all pages; that of the group around this one is open.
fn list(document: &Document, all: &[Document]) -> String {
    let up = up(document);
    let titles = GROUPS.iter().map(|group| group.title).chain([MANUAL]);
    let mut out = "<nav aria-label=\"Pages\">\n".to_owned();
    for title in titles {
        let open = if title == document.group { " open" } else { "" };
        out += &format!("<details{open}><summary>{}</summary>\n<ul>\n", escaped(title));
        for page in all.iter().filter(|page| page.group == title) {
            let here = if page.place == document.place { " aria-current=\"page\"" } else { "" };
            let (place, title) = (&page.place, escaped(&page.title));
            out += &format!("<li><a href=\"{up}{place}\"{here}>{title}</a></li>\n");
        }
        out.push_str("</ul>\n</details>\n");
    }
    out + "</nav>\n"
}

/// The words of the heading that begins at an event.
fn heading_words(events: &[Event<'_>]) -> String {
    let inner = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let words = inner.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        _ => None,
    });
    words.collect()
}

/// Gives each heading a name for links.
fn with_anchors(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    for at in 0..events.len() {
        let name = slug(&heading_words(events.get(at..).unwrap_or_default()));
        if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(at) {
            *id = Some(CowStr::from(name));
        }
    }
    events
}

/// Links lead to pages of the site; those to other files of the repository are left out.
fn with_links<'a>(document: &Document, all: &[Document], events: Vec<Event<'a>>) -> Vec<Event<'a>> {
    let mut is_left_out = false;
    let mut kept = Vec::with_capacity(events.len());
    for mut event in events {
        match &mut event {
            Event::Start(Tag::Link { dest_url, .. }) => match link(document, all, dest_url) {
                Some(to) => *dest_url = CowStr::from(to),
                None => {
                    is_left_out = true;
                    continue;
                }
            },
            Event::End(TagEnd::Link) if is_left_out => {
                is_left_out = false;
                continue;
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                let place = place_of(&resolved(&document.path, dest_url));
                *dest_url = CowStr::from(up(document) + &place);
            }
            _ => {}
        }
        kept.push(event);
    }
    kept
}

fn link(document: &Document, all: &[Document], to: &str) -> Option<String> {
    if to.contains("://") || to.starts_with('#') {
        return Some(to.to_owned());
    }
    let (file, anchor) =
        to.split_once('#').map_or((to, None), |(file, anchor)| (file, Some(anchor)));
    // The manual's pages are made of documents one directory above.
    let from = document.path.replace("docs/man/", "docs/");
    let path = resolved(&from, file);
    let page = all.iter().find(|page| page.path == path)?;
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    Some(format!("{}{}{anchor}", up(document), page.place))
}

/// The sections of a page, each with its text.
fn entries(document: &Document, events: &[Event<'_>]) -> Vec<Entry> {
    let Document { place, title, .. } = document;
    let mut entries: Vec<Entry> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { id, .. }) => {
                let words = heading_words(events.get(at..).unwrap_or_default());
                let heading = if words == *title { words } else { format!("{title}: {words}") };
                let url = format!("{place}#{}", id.as_deref().unwrap_or_default());
                entries.push(Entry { url, title: heading, text: String::new() });
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(entry) = entries.last_mut() {
                    entry.text += text;
                    entry.text.push(' ');
                }
            }
            _ => {}
        }
    }
    entries
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
