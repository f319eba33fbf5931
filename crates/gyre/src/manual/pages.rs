//! All pages: one for each verb, one for each document that is about something else.

use ::manual::{Links, Page, Target, linked, section};
use options::{Described, HELP, Naming};

use super::documents::{DOCUMENTS, Document, VERBS};
use crate::verb::Verb;

/// The manual.
pub(super) struct Manual {
    pub(super) pages: Vec<Page>,
    pub(super) links: Links,
}

/// A verb of any origin.
struct Known {
    name: &'static str,
    brief: &'static str,
    commands: Vec<Described>,
}

impl Manual {
    /// The manual of these verbs, and of rrdtool's.
    pub(super) fn of(verbs: impl Iterator<Item = &'static Verb>) -> Self {
        let mut known: Vec<Known> = verbs
            .map(|Verb { name, brief, described, .. }| Known { name, brief, commands: described() })
            .collect();
        for verb in rrdtool::VERBS {
            if !known.iter().any(|it| it.name == verb.name) {
                let (name, brief) = (verb.name, verb.summary);
                known.push(Known { name, brief, commands: vec![verb.described()] });
            }
        }
        known.sort_by_key(|verb| verb.name);
        let links = links();
        let mut pages = vec![main_page(&known)];
        pages.extend(known.into_iter().map(|verb| verb_page(verb, &links)));
        let others = DOCUMENTS.iter().filter(|document| document.section != 1);
        pages.extend(others.map(|document| document_page(document, &links)));
        Self { pages, links }
    }

    /// The page of a name: `run`, `gyre-run` or `gyre-run.1`.
    pub(super) fn find(&self, name: &str) -> Option<&Page> {
        let is_it = |page: &&Page| {
            let full = &page.target.name;
            full == name || full.strip_prefix("gyre-") == Some(name) || page.file_name() == name
        };
        self.pages.iter().find(is_it)
    }
}

fn page_name(page: &str) -> String {
    format!("gyre-{page}")
}

fn links() -> Links {
    let mut links = Links::default();
    for Document { file, page, section, .. } in DOCUMENTS {
        links.add(file, Target { name: page_name(page), section: *section });
    }
    links
}

/// The page of gyre itself.
fn main_page(verbs: &[Known]) -> Page {
    let version = Naming { long: "version", short: Some('V'), value: None, help: "the version" };
    let summary = "Polls network devices, keeps their answers in round robin databases, whose size \
                   never grows, and draws graphs of them. The databases are `.rrd` files, as \
                   rrdtool has them, or lie in a ring store, one for all of them. Called by the \
                   name rrdtool, rrdcreate, rrdupdate, rrdinfo, rrdcached or rrdcgi, it answers as \
                   that program does.";
    let mut main = Described::plain("gyre", "", summary, &[HELP, version]);
    main.synopsis = "gyre VERB [OPTIONS] ...".to_owned();
    let mut body = "## Verbs\n\n| verb | |\n|---|---|\n".to_owned();
    for Known { name, brief, .. } in verbs {
        body += &format!("| **gyre-{name}**(1) | {brief} |\n");
    }
    body += "| **-** | the verbs of rrdtool, one command a line on standard input |\n\n\
             ## Files and subjects\n\n| page | |\n|---|---|\n";
    for Document { page, section, brief, .. } in DOCUMENTS.iter().filter(|it| it.section != 1) {
        body += &format!("| **gyre-{page}**({section}) | {brief} |\n");
    }
    Page {
        target: Target { name: "gyre".to_owned(), section: 1 },
        brief: "network measurement on round robin databases (RRD), graphs, MRTG and rrdtool"
            .into(),
        commands: vec![main],
        body,
        also: Vec::new(),
    }
}

fn verb_page(verb: Known, links: &Links) -> Page {
    let Known { name, brief, commands } = verb;
    let target = Target { name: page_name(name), section: 1 };
    let of_verb = |document: &&Document| document.page == name && document.section == 1;
    let body = match DOCUMENTS.iter().find(of_verb) {
        Some(document) => without_title(document.text),
        None => section(VERBS, name).unwrap_or_default(),
    };
    let also = also(body, links, &target);
    Page { target, brief: brief_of(brief), commands, body: body.to_owned(), also }
}

/// A line for `man -k`, in which `man -k rrd` finds every page.
fn brief_of(brief: &str) -> String {
    let mut line = brief.replace('`', "");
    if let Some(first) = line.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    match line.to_lowercase().contains("rrd") {
        true => line,
        false => line + " (RRD)",
    }
}

fn document_page(document: &Document, links: &Links) -> Page {
    let Document { text, page, section, brief, .. } = document;
    let target = Target { name: page_name(page), section: *section };
    let body = without_title(text);
    Page {
        also: also(body, links, &target),
        target,
        brief: brief_of(brief),
        commands: Vec::new(),
        body: body.to_owned(),
    }
}

/// gyre's own page, and those that the text refers to.
fn also(body: &str, links: &Links, page: &Target) -> Vec<Target> {
    let mut all = vec![Target { name: "gyre".to_owned(), section: 1 }];
    all.extend(linked(body, links).into_iter().filter(|target| target != page));
    all
}

/// A document behind its first line, which is its title.
fn without_title(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest).trim_start_matches('\n')
}
