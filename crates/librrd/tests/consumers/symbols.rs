//! The exported names: exactly those of librrd 8, and the five that came later.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::library;

/// What rrdtool 1.8 added.
const LATER: [&str; 5] =
    ["rrd_tune_r", "rrdc_flushall", "rrdc_flushall_if_daemon", "rrdc_list", "rrdc_ping"];

const DEBIAN: &str = "/usr/lib/x86_64-linux-gnu/librrd.so.8";

/// The names, one a line: the interface itself, for machines without Debian's library.
const NAMES: &str = include_str!("../exported-names.txt");

#[test]
fn names_are_those_of_librrd() {
    let Some(nm) = oracle::program("nm", "the exported names") else { return };
    let expected: BTreeSet<&str> = NAMES.lines().collect();
    assert_eq!(expected.len(), 96);
    let listed = exported(&nm, &library::directory().join("librrd.so.8"));
    assert_eq!(listed, expected.iter().map(|name| (*name).to_owned()).collect());
    if Path::new(DEBIAN).exists() {
        let mut debian = exported(&nm, Path::new(DEBIAN));
        assert_eq!(debian.len(), 91);
        debian.extend(LATER.map(str::to_owned));
        assert_eq!(listed, debian);
    }
}

#[test]
fn programs_find_it_by_its_name() {
    let Some(objdump) = oracle::program("objdump", "the library's name") else { return };
    let library = library::directory().join("librrd.so.8");
    let output = Command::new(objdump).arg("-p").arg(library).output().unwrap();
    let text = library::text(&output);
    let name = text.lines().find_map(|line| line.trim().strip_prefix("SONAME"));
    assert_eq!(name.map(str::trim), Some("librrd.so.8"));
}

/// Names as they stand, a version after them included: ours have none, as Debian's have none.
fn exported(nm: &Path, library: &Path) -> BTreeSet<String> {
    let output = Command::new(nm).args(["-D", "--defined-only"]).arg(library).output().unwrap();
    assert!(output.status.success(), "{}", library::text(&output));
    let lines = library::text(&output);
    let name = |line: &str| line.split_whitespace().last().unwrap_or_default().to_owned();
    lines.lines().map(name).collect()
}
