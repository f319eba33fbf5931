//! `gyre simulate`: the table in its forms, a layout from a file, and mistakes.
#![allow(clippy::disallowed_methods)] // a test: it makes files and starts programs

use std::process::{Command, Output};

use serde_json::Value;

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");

fn simulate(words: &[&str]) -> Output {
    Command::new(GYRE).arg("simulate").args(words).output().unwrap()
}

fn text(words: &[&str]) -> String {
    let output = simulate(words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&text(words)).unwrap()
}

#[test]
fn all_forms_say_the_same() {
    let words = ["--files", "20", "--pages", "4,10", "--cache", "lru,linux", "--days", "2"];
    let found = json(&[&words[..], &["--json"]].concat());
    let simulations = found["simulations"].as_array().unwrap();
    assert_eq!(simulations.len(), 4);
    assert_eq!(found["data_pages_of_file"], 26);
    assert_eq!(simulations[0]["updates"], 20 * 2 * 288);
    let csv = text(&[&words[..], &["--csv"]].concat());
    let line = csv.lines().nth(1).unwrap();
    assert_eq!(line.split(',').nth(5).unwrap(), simulations[0]["page_ins"].to_string());
    let table = text(&words);
    let page_ins = simulations[0]["page_ins"].as_f64().unwrap() / (20.0 * 2.0 * 288.0);
    let shown = table.lines().find(|line| line.trim_start().starts_with("4 ")).unwrap();
    assert!(shown.contains(&format!("{page_ins:.4}")), "{shown}");
}

#[test]
fn a_file_says_its_layout() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = directory.path().join("one.rrd");
    let name = path.to_str().unwrap();
    let layout = ["--step", "60", "DS:a:GAUGE:120:U:U", "RRA:LAST:0.5:1:5000"];
    let created = Command::new(GYRE).args(["create", name]).args(layout).output().unwrap();
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let options = ["--pages", "2", "--days", "1", "--json"];
    let of_file = json(&[&[name], &options[..]].concat());
    let of_words = json(&[&layout[..], &options[..]].concat());
    assert_eq!(of_file, of_words);
    assert_eq!(of_file["step_seconds"], 60);
}

#[test]
fn readahead_is_drawn_beside_none() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = directory.path().join("curve.svg");
    let plot = ["--plot", path.to_str().unwrap()];
    let policies = ["--readahead", "none,observed", "--method", "stream", "--days", "1"];
    text(&[&policies[..], &["--pages", "1-20"], &plot].concat());
    let svg = std::fs::read_to_string(path).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 2);
    assert!(svg.contains("lru, observed") && svg.ends_with("</svg>\n"));
}

#[test]
fn mistakes_are_told_by_code_and_line() {
    let misuse = simulate(&["--cache", "arc"]);
    assert_eq!(misuse.status.code(), Some(2));
    let missing = simulate(&["/nowhere/at.rrd"]);
    assert_eq!(missing.status.code(), Some(1));
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(said.contains("/nowhere/at.rrd") && said.lines().count() == 1, "{said}");
    let help = simulate(&["--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"usage: gyre simulate"));
}
