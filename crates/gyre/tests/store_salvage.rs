//! `gyre store salvage` and the other verbs of a whole ring store, in a directory without a store.
#![allow(clippy::disallowed_methods)] // the test starts the program

use std::fs;
use std::path::Path;
use std::process::Command;

/// The exit code, standard output and standard error of gyre in a directory.
fn gyre(directory: &Path, words: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words.split_whitespace()).current_dir(directory);
    let output = command.env_remove("RRDCACHED_ADDRESS").output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), out, error)
}

/// A directory with other files but no store.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("directory")).unwrap();
    fs::write(place.path().join("file"), "no store").unwrap();
    place
}

#[test]
fn where_there_is_no_store_one_line_says_so() {
    let place = place();
    for verb in [
        "store salvage PLACE",
        "store salvage --yes PLACE",
        "store salvage --json --yes --aside aside PLACE",
        "store list PLACE",
        "store rename PLACE a b",
        "store delete PLACE a",
        "store tune PLACE a a --maximum 5",
        "inspect PLACE",
        "verify PLACE",
        "export --all PLACE out",
    ] {
        let found = match verb.contains("salvage") {
            true => {
                "expected a ring store (with a file gyre-store) or the journal of a daemon (with a file \
                 journal.lock), found neither"
            }
            false => "expected a ring store, found none",
        };
        for (named, said) in [
            ("missing", "No such file or directory"),
            ("directory", found),
            ("file", "Not a directory"),
        ] {
            let words = verb.replace("PLACE", named);
            let ended = gyre(place.path(), &words);
            let error = format!("ERROR: {named}: {said}\n");
            assert_eq!(ended, (Some(1), String::new(), error), "{words}");
        }
    }
    let left = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(left, 2, "something was written");
    assert_eq!(fs::read_dir(place.path().join("directory")).unwrap().count(), 0);
}

#[test]
fn words_that_name_no_store_are_misuse() {
    let place = place();
    let (code, out, error) = gyre(place.path(), "store salvage");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let expected = "gyre store salvage: expected STORE or JOURNAL\n";
    assert!(error.starts_with(expected), "{error}");
    for (words, said) in [
        ("--yes", "expected STORE or JOURNAL"),
        ("directory file", "expected STORE or JOURNAL"),
        ("--no directory", "unknown option --no"),
        ("directory --aside", "--aside: expected DIRECTORY"),
    ] {
        let ended = gyre(place.path(), &format!("store salvage {words}"));
        let said = format!("gyre store salvage: {said}\n`gyre store salvage --help` tells more\n");
        assert_eq!(ended, (Some(2), String::new(), said), "{words}");
    }
}
