//! The links of documents: to each other, to places in them, to files of the repository.

use std::collections::BTreeSet;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::documents::{Document, resolved, slug};

/// Links that lead nowhere, each with its document and the reason. Links out of the repository are
/// only read, not followed.
pub(super) fn broken(root: &Path, documents: &[Document]) -> Vec<String> {
    let mut broken = Vec::new();
    for document in documents {
        for to in targets(document, false).into_iter().chain(targets(document, true)) {
            let reason = fault(root, documents, document, &to);
            broken.extend(reason.map(|reason| format!("{}: {to}: {reason}", document.path)));
        }
    }
    broken
}

/// The pictures of all documents, by their paths in the repository.
pub(super) fn pictures(documents: &[Document]) -> BTreeSet<String> {
    let of = |document: &Document| {
        let from = document.path.replace("docs/man/", "docs/");
        let all = targets(document, true).into_iter();
        all.map(move |to| resolved(&from, &to)).collect::<Vec<_>>()
    };
    documents.iter().flat_map(of).collect()
}

fn targets(document: &Document, of_pictures: bool) -> Vec<String> {
    let events = Parser::new_ext(&document.text, Options::ENABLE_TABLES);
    let found = events.filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) if !of_pictures => Some(dest_url.into_string()),
        Event::Start(Tag::Image { dest_url, .. }) if of_pictures => Some(dest_url.into_string()),
        _ => None,
    });
    found.collect()
}

/// What is wrong with a link of a document.
fn fault(root: &Path, all: &[Document], from: &Document, to: &str) -> Option<&'static str> {
    if let Some((scheme, rest)) = to.split_once("://") {
        let host = rest.split(['/', '#', '?']).next().unwrap_or_default();
        let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
        let is_known = ["http", "https"].contains(&scheme);
        return (!is_host || !is_known).then_some("expected http://HOST or https://HOST");
    }
    let (file, anchor) = to.split_once('#').unwrap_or((to, ""));
    let path = if file.is_empty() { from.path.clone() } else { resolved(&from.path, file) };
    if !root.join(&path).exists() {
        return Some("there is no such file");
    }
    let page = all.iter().find(|page| page.path == path);
    match page {
        None if path.ends_with(".md") => Some("this document is not on the site"),
        Some(page) if !anchor.is_empty() && !headings(page).any(|it| slug(&it) == anchor) => {
            Some("there is no such heading")
        }
        _ => None,
    }
}

/// The headings of a document, without their marks.
fn headings(document: &Document) -> impl Iterator<Item = String> + '_ {
    let lines = document.text.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| line.trim_start_matches('#').trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::super::documents::{Document, of_repository, place_of};
    use super::{broken, fault, pictures};

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_owned()
    }

    #[test]
    fn every_link_leads_somewhere() {
        let documents = of_repository(&root()).expect("documents are read");
        let broken = broken(&root(), &documents);
        assert!(broken.is_empty(), "{}", broken.join("\n"));
        assert!(pictures(&documents).len() > 30);
    }

    #[test]
    fn every_document_is_on_the_site() {
        let documents = of_repository(&root()).expect("documents are read");
        for directory in ["docs", "docs/bench", "docs/inside"] {
            for entry in fs::read_dir(root().join(directory)).expect("it is there") {
                let name = entry.expect("it is read").file_name().into_string().expect("UTF-8");
                let path = format!("{directory}/{name}");
                let is_on = documents.iter().any(|document| document.path == path);
                assert!(is_on || !name.ends_with(".md"), "{path} is not in site/contents.rs");
            }
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "# A\n\n## One, two\n";
        let path = "README.md";
        let page = Document {
            group: "",
            path: path.into(),
            place: place_of(path),
            title: "A".into(),
            text: text.into(),
        };
        let pages = [page];
        let fault = |to| fault(&root(), &pages, &pages[0], to);
        for good in ["#one-two", "README.md#one-two", "xtask/src/main.rs", "https://a.example/b"] {
            assert_eq!(fault(good), None, "{good}");
        }
        for wrong in ["#one", "none.md", "docs/run.md", "https:///x", "ftp://a.example"] {
            assert!(fault(wrong).is_some(), "{wrong}");
        }
    }
}
