//! What the program says of its version and of formats.
#![allow(clippy::disallowed_methods)] // the test starts programs

use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn gyre(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_version_tells_every_format() {
    let told: Value = serde_json::from_slice(&gyre(&["version", "--json"]).stdout).unwrap();
    let text = String::from_utf8(gyre(&["version"]).stdout).unwrap();
    let short = String::from_utf8(gyre(&["--version"]).stdout).unwrap();
    assert!(
        text.starts_with(&short) && short == format!("gyre {}\n", told["gyre"].as_str().unwrap())
    );
    let formats = told["formats"].as_object().unwrap();
    for key in ["rrd_file", "ring_store", "checkpoint", "journal", "backup", "sql_tables"] {
        let (reads, writes) = (&formats[key]["reads"], &formats[key]["writes"]);
        let reads = reads.as_array().unwrap();
        assert!(writes.as_array().unwrap().iter().all(|version| reads.contains(version)), "{key}");
    }
    assert_eq!(told["protocols"]["rrdcached"], "1.7.2");
    assert_eq!(text.lines().count(), 2 + formats.len() + 1, "{text}");
}

#[test]
fn there_is_nothing_to_upgrade_in_the_only_format() {
    let place = tempfile::tempdir().unwrap();
    let store = place.path().join("store");
    let store = store.to_str().unwrap();
    assert!(gyre(&["store", "create", store]).status.success());
    let output = gyre(&["store", "upgrade", store]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told, format!("{store}: format 1, the only one: nothing to do\n"));
    let output = gyre(&["store", "upgrade", "no-such-store"]);
    assert_eq!(output.status.code(), Some(1));
}
