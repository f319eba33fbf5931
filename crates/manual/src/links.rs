//! Where links between documents lead in man pages.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// A man page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name, such as `gyre-run`.
    pub name: String,
    /// Its section.
    pub section: u8,
}

/// Which documents are man pages.
#[derive(Clone, Debug, Default)]
pub struct Links(Vec<(String, Target)>);

impl Links {
    /// A document, by its path below `docs/`, is a page.
    pub fn add(&mut self, document: &str, target: Target) {
        self.0.push((document.to_owned(), target));
    }

    /// The page of the document that a link names, with or without a place in it.
    #[must_use]
    pub fn find(&self, link: &str) -> Option<&Target> {
        let document = link.split('#').next().unwrap_or_default();
        self.0.iter().find(|(known, _)| known == document).map(|(_, target)| target)
    }
}

/// The pages that a document links to, by section and name, each once.
#[must_use]
pub fn linked(markdown: &str, links: &Links) -> Vec<Target> {
    let mut found: Vec<Target> = Parser::new_ext(markdown, Options::ENABLE_TABLES)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.find(&dest_url).cloned(),
            _ => None,
        })
        .collect();
    found.sort_by(|one, two| (one.section, &one.name).cmp(&(two.section, &two.name)));
    found.dedup();
    found
}
