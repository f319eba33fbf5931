//! `gyre import` and `gyre export`: directories of files into a ring store and out again.
#![allow(clippy::disallowed_methods)] // the test makes and reads the files

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn gyre(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.current_dir(directory).args(words).env("TZ", "UTC").env("LC_ALL", "C");
    command.output().expect("gyre starts")
}

fn done(directory: &Path, words: &[&str]) -> String {
    let output = gyre(directory, words);
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Makes a file with some updates.
fn make(directory: &Path, name: &str, archives: &[&str], updates: i64) {
    fs::create_dir_all(directory.join(name).parent().unwrap()).unwrap();
    let sources = ["DS:in:COUNTER:600:0:U", "DS:out:COUNTER:600:0:U"];
    let words = ["create", name, "-b", "1700000000", "-s", "300"];
    done(directory, &[&words[..], &sources, archives].concat());
    for nth in 1..=updates {
        let update = format!("{}:{}:{}", 1_700_000_000 + nth * 290, nth * 12_345, nth * nth * 77);
        done(directory, &["update", name, &update]);
    }
}

const FINE: [&str; 2] = ["RRA:AVERAGE:0.5:1:20", "RRA:MAX:0.5:1:20"];
const COARSE: [&str; 3] = ["RRA:AVERAGE:0.5:1:20", "RRA:MAX:0.5:3:9", "RRA:LAST:0.5:2:5"];

fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let found = disk::files_below(directory, "rrd").unwrap().into_iter();
    let named = found.map(|path| {
        let bytes = fs::read(&path).unwrap();
        (path.strip_prefix(directory).unwrap().to_path_buf(), bytes)
    });
    named.collect()
}

fn some_files(directory: &Path) {
    for nth in 0..6 {
        let name = format!("router{}/port{nth}.rrd", nth % 2);
        make(directory, &name, if nth % 3 == 0 { &COARSE } else { &FINE }, nth * 5);
    }
}

#[test]
fn what_goes_in_comes_out() {
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    fs::create_dir(here.join("old")).unwrap();
    some_files(&here.join("old"));
    let told = done(here, &["import", "--sparse", "store", "old"]);
    assert!(
        told.starts_with("6 taken in ") && told.ends_with("; 0 were there already\n"),
        "{told}"
    );
    let told = done(here, &["export", "store", "--all", "new"]);
    assert!(told.starts_with("6 written in "), "{told}");
    assert_eq!(files(&here.join("new")), files(&here.join("old")));
    // A second run continues after the files of the first.
    make(&here.join("old"), "late.rrd", &FINE, 3);
    let told = done(here, &["import", "store", "old"]);
    assert!(
        told.starts_with("1 taken in ") && told.ends_with("; 6 were there already\n"),
        "{told}"
    );
    done(here, &["export", "store", "late.rrd", "router1/port5.rrd", "two"]);
    let two = files(&here.join("two"));
    assert_eq!(two.len(), 2);
    two.into_iter().for_each(|(name, bytes)| {
        assert_eq!(bytes, fs::read(here.join("old").join(&name)).unwrap(), "{name:?}");
    });
    let output = gyre(here, &["export", "store", "nobody", "three"]);
    assert!(!output.status.success() && text(&output.stderr).contains("nobody"));
    let output = gyre(here, &["export", "store", "three"]);
    assert!(text(&output.stderr).contains("--all"));
}

#[test]
fn what_cannot_be_taken_is_named_and_the_rest_comes() {
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    fs::create_dir(here.join("old")).unwrap();
    some_files(&here.join("old"));
    done(here, &["import", "--sparse", "store", "old/router0"]);
    // One file changed, one damaged, one of another kind.
    let changed = here.join("old/router0/port2.rrd");
    done(here, &["update", changed.to_str().unwrap(), "1800000000:1:2"]);
    let good = fs::read(here.join("old/router1/port5.rrd")).unwrap();
    fs::write(here.join("old/router1/cut.rrd"), &good[..good.len() - 1]).unwrap();
    fs::write(here.join("old/router1/text.log"), "Nov 21 something happened\n").unwrap();
    let output = gyre(here, &["import", "store", "old/router0", "old/router1"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    for expected in [
        "old/router0/port2.rrd: the store has another port2.rrd (--replace ",
        "old/router1/cut.rrd: expected ",
        "old/router1/text.log: line 1: expected time and two counters",
        "ERROR: 3 not taken",
    ] {
        assert!(told.contains(expected), "{expected:?} in {told:?}");
    }
    let told = text(&output.stdout);
    assert!(
        told.starts_with("3 taken in ") && told.ends_with("; 2 were there already\n"),
        "{told}"
    );
    done(here, &["import", "--replace", "store", "old/router0"]);
    done(here, &["export", "store", "port2.rrd", "new"]);
    assert_eq!(fs::read(here.join("new/port2.rrd")).unwrap(), fs::read(&changed).unwrap());
    for (words, expected) in [
        (&["import", "store"][..], "gyre import: expected STORE and what to take"),
        (&["import", "store", "missing"], "missing: "),
        (&["import", "old", "old"], "expected a ring store or an empty directory"),
        (&["import", "--tile-rows", "3", "store", "old"], "its pace was chosen when it was made"),
        (&["import", "--tile-rows", "0", "store", "old"], "expected a number from 1 to 4000"),
    ] {
        let output = gyre(here, words);
        assert!(!output.status.success() && text(&output.stderr).contains(expected), "{words:?}");
    }
}

#[test]
fn a_log_of_mrtgs_becomes_a_database() {
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    fs::create_dir_all(here.join("logs/lan")).unwrap();
    let mut log = "1700000123 4000 5000\n1700000123 100 10 120 20\n".to_owned();
    for nth in 0..600_i64 {
        let end_seconds = 1_700_000_100 - nth * 300;
        log += &format!("{end_seconds} {} {} {} 7\n", 1000 + nth, 5, 2000 + nth);
    }
    fs::write(here.join("logs/lan/port.log"), log).unwrap();
    done(here, &["import", "--sparse", "store", "logs"]);
    done(here, &["export", "store", "lan/port.rrd", "."]);
    // The half hour of the lines 3 to 8.
    let span = ["-r", "1800", "-s", "1699997400", "-e", "1699999199"];
    let told = done(here, &[&["fetch", "lan/port.rrd", "MAX"][..], &span].concat());
    assert!(told.contains("1699999200: 2.0080000000e+03 7.0000000000e+00"), "{told}");
    assert_eq!(done(here, &["last", "lan/port.rrd"]), "1700000123\n");
    let info = done(here, &["info", "lan/port.rrd"]);
    assert!(info.contains("rra[7].rows = 797") && info.contains("last_ds = \"4000\""), "{info}");
}

/// rrdtool's update fails if it cannot lock its file at once, and its sample is lost. So an import
/// must not hold locks.
#[test]
fn an_import_keeps_no_update_of_rrdtool_out() {
    let Some(program) = oracle::program("rrdtool", "updates during an import") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    fs::create_dir(here.join("old")).unwrap();
    // Reading this file takes as long as hundreds of updates.
    let rrdtool = oracle::Rrdtool::start(&program, here);
    let rrdtool = std::cell::RefCell::new(rrdtool);
    let ask = |words: &str| rrdtool.borrow_mut().send(words);
    let create =
        "create old/large.rrd -b 1000000000 -s 1 DS:a:GAUGE:600:U:U RRA:LAST:0.5:1:8000000";
    assert_eq!(ask(create), oracle::Reply::Ok(Vec::new()));
    let mut import = Command::new(env!("CARGO_BIN_EXE_gyre"));
    import.current_dir(here).args(["import", "--sparse", "store", "old"]);
    let mut import = import.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut updates = 0;
    while import.try_wait().unwrap().is_none() {
        updates += 1;
        let update = format!("update old/large.rrd {}:1", 1_000_000_000 + updates);
        assert_eq!(ask(&update), oracle::Reply::Ok(Vec::new()), "{update}");
    }
    assert!(updates > 1);
    // When no program updates the file, it can be imported.
    done(here, &["import", "--sparse", "--replace", "store", "old"]);
    let told = done(here, &["lastupdate", "store/large.rrd"]);
    assert!(told.contains(&format!("{}: 1", 1_000_000_000 + updates)), "{told}");
}
