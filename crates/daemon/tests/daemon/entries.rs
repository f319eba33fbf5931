//! The directories of a ring store, whose names are all that it has, a page at a time.

use std::collections::BTreeSet;
use std::path::Path;

use daemon::{Databases, EntriesPage, Entry};
use rrd::Timestamp;
use store::{NewDatabase, Store as _};

use crate::embedded::{listen, serve};
use crate::room::Client;

/// All lines of a directory, so many at a time.
fn paged(databases: &Databases, directory: &str, limit: usize) -> Vec<(String, bool)> {
    let (mut all, mut next) = (Vec::new(), Some(String::new()));
    while let Some(from) = next {
        let EntriesPage { entries, next: behind } =
            databases.list(directory, &from, limit).unwrap();
        assert!(entries.len() <= limit);
        assert!(behind.is_none() || entries.len() == limit, "no page is short but the last");
        all.extend(entries.into_iter().map(|Entry { name, is_directory }| (name, is_directory)));
        next = behind;
    }
    all
}

/// What a directory has of some names, in the order of the names.
fn expected(names: &[String], directory: &str) -> Vec<(String, bool)> {
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let below = names.iter().filter_map(|name| name.strip_prefix(&prefix));
    let entries: BTreeSet<String> = below
        .map(|name| match name.split_once('/') {
            Some((above, _)) => format!("{above}/"),
            None => name.to_owned(),
        })
        .collect();
    let entry = |entry: String| match entry.strip_suffix('/') {
        Some(name) => (name.to_owned(), true),
        None => (entry, false),
    };
    entries.into_iter().map(entry).collect()
}

#[test]
fn a_page_of_a_directory_passes_over_what_lies_deeper() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let served = serve(&room.path().join("store"), listen(&socket));
    let mut names: Vec<String> =
        ["a", "a-b", "a/x", "a0", "z/z/z", "\u{e9}/\u{10ffff}/x", "\u{10ffff}/x"]
            .map(str::to_owned)
            .into();
    for directory in 0..40 {
        let count = if directory % 7 == 3 { 150 } else { 1 + directory % 4 };
        names.extend((0..count).map(|nth| format!("dir{directory:02}/{nth:03}")));
        names.push(format!("flat{directory:02}"));
    }
    names.sort();
    let words = ["DS:x:GAUGE:600:U:U", "RRA:LAST:0.5:1:3"];
    let definition = rrd::spec::definition(10, words).unwrap();
    let start = Timestamp::from_seconds(1_600_000_000);
    for name in &names {
        let new = NewDatabase { name: Path::new(name), definition: &definition, start };
        served.store.create(new.name, new.definition, new.start).unwrap();
    }
    let databases = served.server.databases();
    for directory in ["", "a", "dir03", "dir04", "z", "z/z", "\u{e9}", "\u{10ffff}"] {
        let expected = expected(&names, directory);
        assert!(!expected.is_empty());
        for limit in [1, 2, 3, 64, 1000] {
            assert_eq!(paged(&databases, directory, limit), expected, "{directory:?} by {limit}");
        }
    }
    for missing in ["none", "dir", "dir04/000", "a-b"] {
        assert!(databases.list(missing, "", 9).is_err(), "{missing}");
    }
    // A client of the protocol sees each once.
    let mut listed: Vec<String> = expected(&names, "").into_iter().map(|(name, _)| name).collect();
    listed.dedup();
    let mut client = Client::connect(&socket);
    let answer = client.ask("LIST /");
    assert_eq!(answer.lines().skip(1).collect::<Vec<_>>(), listed);
}
