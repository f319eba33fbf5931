//! `gyre repair` on files that rrdtool reads, on ring stores, and on stores that a server has.
#![allow(clippy::disallowed_methods)] // the test reads files and starts programs

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const START: i64 = 1_700_000_000;

fn run(words: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    let output = command.args(words).env("TZ", "UTC").output().expect("gyre starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("gyre prints UTF-8"))
}

fn done(words: &[&str]) -> String {
    let (code, text) = run(words);
    assert_eq!(code, Some(0), "{words:?}: {text}");
    text
}

fn refused(words: &[&str], expected_code: i32, expected: &str) {
    let (code, text) = run(words);
    assert_eq!(code, Some(expected_code), "{words:?}: {text}");
    assert!(text.contains(expected), "{words:?}: {text}");
}

/// A directory with two ways to keep databases.
struct Site {
    directory: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self { directory: tempfile::tempdir().expect("a directory") };
        done(&["store", "create", "--sparse", &site.path("store")]);
        fs::create_dir(site.path("tree")).expect("a directory");
        site
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// A database of 120 steps; each of `odd` has another reading.
    fn make(&self, name: &str, odd: &[(i64, &str)]) -> String {
        let (path, start) = (self.path(name), START.to_string());
        let sources = ["DS:in:GAUGE:20:0:U", "DS:out:GAUGE:20:0:1000"];
        let archives = ["RRA:AVERAGE:0.5:1:200", "RRA:AVERAGE:0.5:6:30", "RRA:MAX:0.5:6:30"];
        done(&[&["create", &path, "-s", "10", "-b", &start], &sources[..], &archives[..]].concat());
        let reading = |nth: i64| {
            let odd = odd.iter().find(|(at, _)| *at == nth);
            odd.map_or(format!("{}", 100 + nth % 7), |(_, text)| (*text).to_owned())
        };
        let samples: Vec<String> =
            (1..=120).map(|nth| format!("{}:{}:{nth}", START + nth * 10, reading(nth))).collect();
        let samples = samples.iter().map(String::as_str);
        done(&["update", &path].into_iter().chain(samples).collect::<Vec<_>>());
        path
    }
}

fn fetched(path: &str, cf: &str, step: &str) -> String {
    let (start, end) = (START.to_string(), (START + 1200).to_string());
    done(&["fetch", path, cf, "-r", step, "-s", &start, "-e", &end])
}

/// The path of the file by which the last repair can be undone.
fn undo_of(told: &str) -> PathBuf {
    let after = told.split("--undo ").nth(1).expect("a repair tells how to undo it");
    after.split(' ').next().expect("a path").into()
}

#[test]
fn a_spike_goes_from_every_archive_and_comes_back_by_undo() {
    let site = Site::new();
    for name in ["tree/a.rrd", "store/a.rrd"] {
        let spiked = site.make(name, &[(50, "1e15"), (77, "9e14")]);
        let clean = site.make(&name.replace('a', "clean"), &[(50, "U"), (77, "U")]);
        let before = done(&["dump", &spiked]);
        let (undo, limit) = (site.path(&format!("{}.undo", &name[..4])), ["--limit", "0:1e6"]);
        let plan = done(&["repair", limit[0], limit[1], &spiked]);
        assert!(plan.contains("would change 6 cells in 1 of 1 database"), "{plan}");
        assert!(plan.contains("AVERAGE of 10 s, in, 2023-11-14 22:21:40"), "{plan}");
        assert_eq!(done(&["dump", &spiked]), before, "a plan changes nothing");

        let words = ["repair", limit[0], limit[1], "--write", "--undo-file", &undo, &spiked];
        let told = done(&words);
        assert_eq!(undo_of(&told), Path::new(&undo));
        for (cf, step) in [("AVERAGE", "10"), ("AVERAGE", "60"), ("MAX", "60")] {
            assert_eq!(fetched(&spiked, cf, step), fetched(&clean, cf, step), "{cf} {step}");
        }
        assert!(done(&["repair", limit[0], limit[1], &spiked]).contains("would change 0 cells"));

        assert!(done(&["repair", "--undo", &undo]).contains("would change 6 cells"));
        done(&["repair", "--undo", &undo, "--write"]);
        assert_eq!(done(&["dump", &spiked]), before);
        assert!(done(&["repair", "--undo", &undo]).contains("6 cells left alone"));
    }
}

#[test]
fn rrdtool_reads_what_was_repaired() {
    let Some(rrdtool) = oracle::program("rrdtool", "what rrdtool reads after a repair") else {
        return;
    };
    let site = Site::new();
    let path = site.make("tree/a.rrd", &[(50, "1e15")]);
    let undo = site.path("undo");
    done(&["repair", "--deviations", "20", "--by", "line", "--write", "--undo-file", &undo, &path]);
    let (start, end) = (START.to_string(), (START + 1200).to_string());
    let words = ["fetch", &path, "AVERAGE", "-r", "10", "-s", &start, "-e", &end];
    let theirs = Command::new(rrdtool).args(words).output().expect("rrdtool starts");
    assert_eq!(String::from_utf8_lossy(&theirs.stdout), fetched(&path, "AVERAGE", "10"));
    assert!(!fetched(&path, "AVERAGE", "10").contains("e+1"), "the spike is gone");
}

#[test]
fn many_are_repaired_by_pattern_and_told_as_json() {
    let site = Site::new();
    for name in ["store/r1/a", "store/r1/b", "store/r2/a"] {
        site.make(name, &[(50, "1e15"), (60, "U"), (61, "U")]);
    }
    let (undo, pattern) = (site.path("undo"), site.path("store/r1/*"));
    let words = ["repair", "--limit", "U:1e6", "--fill", "40", "--json", "--write"];
    let told = done(&[&words[..], &["--undo-file", &undo, &pattern]].concat());
    let lines: Vec<serde_json::Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert_eq!(lines[2]["databases"], 2);
    assert_eq!(lines[2]["undo"], undo.as_str());
    // The spike makes a gap, too; both are filled, and the rows of a minute follow.
    assert_eq!(lines[0]["rows_by_rule"], serde_json::json!([3, 3]));
    assert!(!fetched(&site.path("store/r1/b"), "AVERAGE", "10")[..3000].contains("nan "));
    assert!(fetched(&site.path("store/r2/a"), "MAX", "60").contains("e+15"));
}

#[test]
fn a_shift_a_scale_and_another_history() {
    let site = Site::new();
    let path = site.make("tree/a.rrd", &[(30, "U"), (31, "U")]);
    let other = site.make("store/other", &[(90, "U")]);
    let before = done(&["dump", &path]);
    let undo = |nth: u8| site.path(&format!("undo{nth}"));
    let rows = |path: &str| fetched(path, "AVERAGE", "10");
    done(&["repair", "--merge", &other, "--write", "--undo-file", &undo(1), &path]);
    let merged = rows(&path);
    assert!(!merged.lines().skip(3).take(100).any(|line| line.contains("nan")), "{merged}");
    let told = done(&["repair", "--shift", "-60", "--write", "--undo-file", &undo(2), &path]);
    let values = |text: &str| -> Vec<String> {
        text.lines().skip(2).map(|line| line[11..].to_owned()).collect()
    };
    assert_eq!(values(&rows(&path))[..100], values(&merged)[6..106], "{told}");
    let words = ["repair", "--scale", "8", "--source", "out", "--write"];
    done(&[&words[..], &["--undo-file", &undo(3), &path]].concat());
    assert!(rows(&path).contains("e+02 8.0000000000e+02"), "{}", rows(&path));
    for nth in [3, 2, 1] {
        done(&["repair", "--undo", &undo(nth), "--write"]);
    }
    assert_eq!(done(&["dump", &path]), before);
}

#[test]
fn a_repair_that_changes_nothing_leaves_no_undo_file() {
    let site = Site::new();
    let path = site.make("tree/a.rrd", &[]);
    let words = ["repair", "--limit", "0:1e6", "--write"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    let output = command.args(words).arg(&path).current_dir(site.path("tree")).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("changed 0 cells") && !told.contains("--undo"), "{told}");
    assert_eq!(fs::read_dir(site.path("tree")).unwrap().count(), 1);
    // One that was asked for by name takes nothing back.
    let undo = site.path("undo");
    done(&[&words[..], &["--undo-file", &undo, &path]].concat());
    assert!(done(&["repair", "--undo", &undo]).contains("0 cells in 0 of 0 databases"));
}

#[test]
fn a_picture_shows_before_and_after() {
    let site = Site::new();
    let path = site.make("tree/a.rrd", &[(50, "1e15")]);
    let picture = site.path("picture.svg");
    done(&["repair", "--percentile", "95:10", "--picture", &picture, &path]);
    let text = fs::read_to_string(&picture).expect("the picture is there");
    assert!(text.contains("before and after"), "{text}");
}

#[test]
fn what_is_wrong_is_told_and_changes_nothing() {
    let site = Site::new();
    let path = site.make("tree/a.rrd", &[(50, "1e15")]);
    let before = fs::read(&path).expect("the file is there");
    let undo = site.path("undo");
    fs::write(&undo, "something\n").expect("a file is written");
    for (words, code, expected) in [
        (&["--percentile", "101:2", &path][..], 2, "a percentile above 0 and up to 100"),
        (&["--limit", "5:1", &path], 2, "the lowest and the highest"),
        (&["--limit", "NaN:1", &path], 2, "the lowest and the highest"),
        (&["--scale", "0", &path], 2, "a number above 0"),
        (&["--shift", "0", &path], 2, "seconds that are not 0"),
        (&["--shift", "99999999999999999999", &path], 2, "seconds, such as"),
        (&["--speed", "fast", &path], 2, "bits a second"),
        (&["--fill", "0", &path], 2, "--fill"),
        (&["--fill", "9", "--by", "unknown", &path], 2, "would fill nothing"),
        (&["--both-ways", "--limit", "0:1", &path], 2, "--deviations"),
        (&["--limit", "0:1"], 2, "databases"),
        (&[&path], 2, "a rule is missing"),
        (&["--undo", &undo, &path], 2, "--undo stands alone"),
        (&["--limit", "0:1", "--undo-file", "x", &path], 2, "--write"),
        (
            &["--limit", "0:1", "--start", "never", &path],
            1,
            "--start: expected a time, found never",
        ),
        (&["--limit", "0:1", "--start", "now", "--end", "now", &path], 1, "before --end"),
        (&["--limit", "0:1", &site.path("tree/none*")], 1, "no name is like none*"),
        (&["--limit", "0:1", &site.path("nowhere/a.rrd")], 1, "No such file"),
        (&["--merge", &site.path("none"), &path], 1, "No such file"),
        (&["--undo", &undo], 1, "line 1: expected"),
        (&["--limit", "0:1", "--write", "--undo-file", &undo, &path], 1, "File exists"),
    ] {
        refused(&[&["repair"], words].concat(), code, expected);
    }
    assert!(fs::read(&path).expect("the file is there") == before);
}

#[test]
fn an_undo_file_that_a_kill_cut_short_still_undoes() {
    let site = Site::new();
    for name in ["tree/a.rrd", "tree/b.rrd"] {
        site.make(name, &[(50, "1e15")]);
    }
    let (undo, tree) = (site.path("undo"), site.path("tree"));
    let before = done(&["dump", &site.path("tree/a.rrd")]);
    done(&["repair", "--speed", "1M", "--write", "--undo-file", &undo, &tree]);
    let text = fs::read_to_string(&undo).expect("the file is there");
    let of_b = text.lines().position(|line| line.contains("b.rrd")).expect("b was changed");
    let lines: Vec<&str> = text.lines().collect();
    let (whole, cut) = (lines[3 - of_b], &lines[of_b][..lines[of_b].len() / 2]);
    fs::write(&undo, format!("{}\n{whole}\n{cut}", lines[0])).expect("a file is written");
    done(&["repair", "--undo", &undo, "--write"]);
    assert_eq!(done(&["dump", &site.path("tree/a.rrd")]), before);
    fs::write(&undo, format!("{}\n{cut}\n{whole}\n", lines[0])).expect("a file is written");
    refused(&["repair", "--undo", &undo], 1, "line 2: ");
}
