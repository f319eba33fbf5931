//! A written trace, played again, gives the same results as the computed updates.

use std::fs::File;
use std::process::{Command, Stdio};

use super::{GYRE, directory, json, text};

/// Options of files and of caches, of all kinds.
const KINDS: [(&[&str], &[&str]); 3] = [
    (
        &["--files", "5", "--days", "1", "--file-system", "ext2"],
        &["--cache", "lru,linux", "--readahead", "none,today", "--method", "stream"],
    ),
    (
        &["--group", "4 60", "--group", "6 DS:a:GAUGE:9:U:U RRA:LAST:0:1:3000", "--days", "1"],
        &["--cache", "lru,2q,clock,fifo", "--readahead", "none,observed,article"],
    ),
    (
        &["--group", "3", "--group", "3 450", "--days", "1", "--warm-up", "0", "--together"],
        &["--cache", "lru", "--readahead", "none,around,adaptive", "--method", "mapping"],
    ),
];

#[test]
fn what_is_written_and_told_says_what_is_generated() {
    let directory = directory();
    let path = directory.path().join("trace");
    let name = path.to_str().unwrap();
    for (files, policies) in KINDS {
        let policies = [policies, &["--pages", "3,9", "--json"]].concat();
        text(&[files, &["--write-trace", name]].concat());
        let generated = json(&[files, &policies].concat());
        let told = json(&[&["--trace", name], &policies[..]].concat());
        assert_eq!(generated["simulations"], told["simulations"], "{files:?}");
        assert_eq!(generated["files"], told["files"]);
    }
}

#[test]
fn a_trace_goes_through_pipes_unchanged() {
    let directory = directory();
    let path = directory.path().join("trace");
    text(&["--files", "5", "--days", "1", "--write-trace", path.to_str().unwrap()]);
    let piped = Command::new(GYRE)
        .args(["simulate", "--trace", "-", "--write-trace", "-"])
        .stdin(File::open(&path).unwrap())
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    assert!(piped.status.success() && piped.stdout == std::fs::read(&path).unwrap());
}
