//! docs/compatibility.md, taken apart.
#![allow(dead_code)] // a test that includes this may need a part of it alone

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The page's statement about an option or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Works,
    Accepted,
    Differs,
    NotYet,
}

/// Sections that list the words of graphs.
pub(crate) const LANGUAGE: [&str; 5] = [
    "Elements of a graph",
    "Operators of CDEF",
    "Functions of VDEF",
    "Image formats",
    "Value formatters",
];

/// The page, taken apart.
#[derive(Default)]
pub(crate) struct Page {
    /// By verb and by the option's long name: its letter, if the page gives it, and its state.
    pub(crate) verbs: BTreeMap<String, BTreeMap<String, (Option<char>, State)>>,
    /// Verbs that the page lists as missing.
    pub(crate) missing: BTreeSet<String>,
    pub(crate) functions: BTreeMap<String, State>,
    /// By section of [`LANGUAGE`], by word.
    pub(crate) language: BTreeMap<String, BTreeMap<String, State>>,
    /// Of rrdcached's protocol.
    pub(crate) commands: BTreeMap<String, State>,
    /// Of mrtg.cfg, with `[]` behind those of a target.
    pub(crate) keys: BTreeMap<String, State>,
    /// Of the daemon, by the long name.
    pub(crate) daemon: BTreeMap<String, Option<char>>,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn page() -> Page {
    let text = fs::read_to_string(root().join("docs/compatibility.md")).unwrap();
    let mut page = Page::default();
    let (mut section, mut verb) = ("", "");
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            (section, verb) = (title, "");
        } else if let Some(title) = line.strip_prefix("### ") {
            verb = title;
            page.verbs.entry(verb.into()).or_default();
        } else if line.to_lowercase().starts_with("not yet") && !verb.is_empty() {
            page.missing.insert(verb.into());
        } else if let Some((names, state)) = row(line) {
            match section {
                "librrd" => {
                    assert!(page.functions.insert(names[0].clone(), state).is_none(), "{line}");
                }
                "rrdcached's commands" => {
                    assert!(page.commands.insert(names[0].clone(), state).is_none(), "{line}");
                }
                "Keys of mrtg.cfg for thresholds, forecasts and Graphite" => {
                    assert!(page.keys.insert(names[0].clone(), state).is_none(), "{line}");
                }
                _ if LANGUAGE.contains(&section) => {
                    let words = page.language.entry(section.into()).or_default();
                    assert!(words.insert(names[0].clone(), state).is_none(), "{line}");
                }
                _ => {
                    let long = names[0].strip_prefix("--").expect("a long name comes first");
                    let letter = names.get(1).map(|name| name.chars().nth(1).unwrap());
                    if section == "rrdcached's options" {
                        assert!(page.daemon.insert(long.into(), letter).is_none(), "{line}");
                        continue;
                    }
                    let options = page.verbs.get_mut(verb).expect("a table stands under a verb");
                    assert!(options.insert(long.into(), (letter, state)).is_none(), "{line}");
                }
            }
        }
    }
    // The page says of graphv that it is as graph.
    let of_graph = page.verbs["graph"].clone();
    page.verbs.insert("graphv".into(), of_graph);
    page
}

/// The names in the first cell of a row, and the state in its second.
fn row(line: &str) -> Option<(Vec<String>, State)> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.splitn(2, " | ").collect();
    let [names, state] = cells[..] else { return None };
    let names: Vec<String> = names.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let state = match state {
        "state" => return None,
        works if works.starts_with("works") => State::Works,
        accepted if accepted.starts_with("accepted") => State::Accepted,
        differs if differs.starts_with("differs: ") => State::Differs,
        missing if missing.starts_with("not yet") => State::NotYet,
        other => panic!("{other} is no state"),
    };
    Some((names, state))
}
