//! `gyre store salvage`: a store that is refused says how it can be salvaged, and opens afterwards.
#![allow(clippy::disallowed_methods)] // the test starts the program and damages files

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const START: i64 = 1_700_000_000;

fn gyre(words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gyre")).args(words).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn done(words: &[&str]) -> String {
    let (code, text) = gyre(words);
    assert_eq!(code, Some(0), "{words:?}: {text}");
    text
}

/// A store of two databases whose samples are in the journal alone.
fn store(root: &Path) -> PathBuf {
    let store = root.join("store");
    let at = |name: &str| store.join(name).to_str().unwrap().to_owned();
    done(&["store", "create", store.to_str().unwrap()]);
    for name in ["a.rrd", "b.rrd"] {
        let start = START.to_string();
        let words = ["-s", "10", "-b", &start, "DS:x:GAUGE:60:U:U", "RRA:LAST:0.5:1:300"];
        done(&[&["create", &at(name)], &words[..]].concat());
        for nth in 1..=3 {
            done(&["update", &at(name), &format!("{}:{nth}", START + nth * 10)]);
        }
    }
    store
}

fn contents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    fs::read_dir(root).unwrap().map(read).collect()
}

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn a_journal_cut_to_nothing_refuses_the_store_and_is_salvaged() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let root = store.to_str().unwrap();
    cut(&store.join("journal-000000"), 0);
    for words in [&["last", &format!("{root}/a.rrd")][..], &["verify", root], &["inspect", root]] {
        let (code, told) = gyre(words);
        assert_eq!(code, Some(1), "{told}");
        let expected = "journal-000000: at byte 0: expected";
        assert!(told.contains(expected) && told.contains("found 0"), "{told}");
        assert!(told.contains(&format!("`gyre store salvage {root}`")), "{told}");
    }
    // Without --yes nothing is written.
    let before = contents(&store);
    let (code, told) = gyre(&["store", "salvage", root]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("given up  journal-000000: at byte 0"), "{told}");
    assert!(told.contains("nothing was written; --yes does it"), "{told}");
    assert!(contents(&store) == before, "a trial writes nothing");

    let told = done(&["store", "salvage", "--yes", "--json", root]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["written"], &told["damage"]), (&true.into(), &Value::Array(Vec::new())));
    let aside = told["aside"].as_str().unwrap();
    assert_eq!(aside, format!("{root}.salvaged-1"));
    assert_eq!(fs::read(Path::new(aside).join("journal-000000")).unwrap(), Vec::<u8>::new());
    assert!(done(&["verify", root]).contains(": sound; "));
    assert!(done(&["store", "salvage", root]).contains("nothing is to be salvaged"));
    // The store goes on.
    let path = format!("{root}/c.rrd");
    let words = ["-b", "1700000000", "DS:x:GAUGE:600:U:U", "RRA:LAST:0.5:1:300"];
    done(&[&["create", &path], &words[..]].concat());
    done(&["update", &path, &format!("{}:7", START + 300)]);
    assert_eq!(done(&["last", &path]).trim(), (START + 300).to_string());
}

#[test]
fn a_group_without_checkpoints_is_given_up_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let root = store.to_str().unwrap();
    done(&["verify", root]); // ends in order: names and states are in catalogue and checkpoints
    for place in ["000000.a", "000000.b"] {
        fs::remove_file(store.join(place)).unwrap();
    }
    let told = done(&["store", "salvage", "--yes", "--aside", &format!("{root}-old"), root]);
    assert!(told.contains("a.rrd\n") && told.contains("b.rrd\n"), "{told}");
    assert!(told.contains("2 databases are gone, 0 is there"), "{told}");
    assert!(Path::new(&format!("{root}-old/000000.tiles")).exists());
    assert_eq!(done(&["store", "list", root]), "");
    assert!(done(&["verify", root]).contains(": sound; "));
}

#[test]
fn a_sound_store_and_what_is_none_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let root = store.to_str().unwrap();
    assert!(done(&["store", "salvage", "--yes", root]).contains("nothing is to be salvaged"));
    let (code, told) = gyre(&["store", "salvage", directory.path().to_str().unwrap()]);
    assert!(code == Some(1) && told.contains("gyre-store"), "{told}");
    let (code, told) = gyre(&["store", "salvage"]);
    assert!(code == Some(1) && told.to_lowercase().contains("usage: gyre store salvage"), "{told}");
    assert!(done(&["store", "salvage", "--help"]).contains("--aside"));
}
