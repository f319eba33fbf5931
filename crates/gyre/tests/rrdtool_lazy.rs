//! `graph --lazy`: which images are drawn anew, and what is told of those that are not, ours
//! beside Debian's rrdtool.
#![allow(clippy::disallowed_methods)] // the test starts programs and makes their files

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

const PROGRAM: &str = env!("CARGO_BIN_EXE_gyre");

struct Case {
    /// What stands under the image's name before.
    before: Before,
    age_seconds: u64,
    /// The words after the image's name.
    words: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Before {
    /// What the same command drew, without `-z`.
    Image,
    Bytes(&'static [u8]),
    Nothing,
}

/// 400 columns of 10 seconds each.
const WINDOW: &str = "-s 1000000000 -e 1000004000";

const CASES: [Case; 12] = [
    Case { before: Before::Image, age_seconds: 1, words: "" },
    Case { before: Before::Image, age_seconds: 8, words: "" },
    Case { before: Before::Image, age_seconds: 100, words: "" },
    Case { before: Before::Image, age_seconds: 100_000, words: "" },
    Case { before: Before::Image, age_seconds: 8, words: "-w 800" },
    Case { before: Before::Nothing, age_seconds: 0, words: "" },
    Case { before: Before::Bytes(b""), age_seconds: 1, words: "" },
    Case { before: Before::Bytes(b"no image"), age_seconds: 1, words: "" },
    Case { before: Before::Bytes(b"no image"), age_seconds: 1, words: "-a SVG" },
    Case { before: Before::Bytes(b"no image"), age_seconds: 100, words: "-a SVG" },
    Case { before: Before::Bytes(b"no image"), age_seconds: 1, words: "-a CSV" },
    Case { before: Before::Image, age_seconds: 1, words: "-f <%s,%lu,%lu>" },
];

/// What one program did.
#[derive(Debug, PartialEq)]
struct Outcome {
    told: String,
    told_by_graphv: String,
    is_drawn: bool,
}

fn run(program: &Path, directory: &Path, words: &[&str]) -> String {
    let mut command = Command::new(program);
    let output = command.args(words).current_dir(directory).env("TZ", "UTC").output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn outcome(program: &Path, directory: &Path, case: &Case) -> Outcome {
    let image = directory.join("image");
    let _ = fs::remove_file(&image);
    let drawn = |verb: &'static str, lazy: &'static str| -> Vec<&str> {
        let mut words = vec![verb, "image"];
        let series = "DEF:a=a.rrd:a:AVERAGE LINE:a#ff0000:leg PRINT:a:MAX:%lf";
        for part in [lazy, WINDOW, case.words, series] {
            words.extend(part.split_whitespace());
        }
        words
    };
    match case.before {
        Before::Image => drop(run(program, directory, &drawn("graph", ""))),
        Before::Bytes(bytes) => fs::write(&image, bytes).unwrap(),
        Before::Nothing => {}
    }
    let changed = SystemTime::now() - Duration::from_secs(case.age_seconds);
    if let Ok(file) = File::options().write(true).open(&image) {
        file.set_modified(changed).unwrap();
    }
    let told = run(program, directory, &drawn("graph", "-z"));
    let modified = fs::metadata(&image).unwrap().modified().unwrap();
    let is_drawn = modified != changed;
    let told_by_graphv = run(program, directory, &drawn("graphv", "-z"));
    Outcome { told, told_by_graphv, is_drawn }
}

fn database(program: &Path, directory: &Path) {
    fs::create_dir(directory).unwrap();
    let create = "create a.rrd -b 999999000 -s 100 DS:a:GAUGE:200:U:U RRA:AVERAGE:0.5:1:99";
    run(program, directory, &create.split(' ').collect::<Vec<_>>());
    run(program, directory, &["update", "a.rrd", "1000000100:1", "1000000200:2", "1000000300:3"]);
}

/// Without the texts' places, which depend on fonts.
fn without_places(outcome: Outcome) -> Outcome {
    let lines = outcome.told_by_graphv.lines().filter(|line| !line.starts_with("coords["));
    let told_by_graphv = lines.collect::<Vec<_>>().join("\n");
    Outcome { told_by_graphv, ..outcome }
}

#[test]
fn images_are_kept_as_rrdtool_keeps_them() {
    let Some(rrdtool) = oracle::program("rrdtool", "which images --lazy keeps") else { return };
    let root = tempfile::tempdir().unwrap();
    let our_program: PathBuf = root.path().join("rrdtool");
    symlink(PROGRAM, &our_program).unwrap();
    let (theirs, ours) = (root.path().join("theirs"), root.path().join("ours"));
    database(&rrdtool, &theirs);
    database(&our_program, &ours);
    let mut kept = 0;
    for case in &CASES {
        let their_outcome = without_places(outcome(&rrdtool, &theirs, case));
        let our_outcome = without_places(outcome(&our_program, &ours, case));
        let what = format!("{:?}, {} s, {}", case.before, case.age_seconds, case.words);
        assert_eq!(our_outcome, their_outcome, "ours first: {what}");
        kept += usize::from(!our_outcome.is_drawn);
    }
    assert!(kept >= 4, "{kept} images were kept");
}

/// Who reads an image while it is drawn anew reads the old one; a failure leaves it.
#[test]
fn an_image_is_whole_or_the_old_one() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("here");
    let program = root.path().join("rrdtool");
    symlink(PROGRAM, &program).unwrap();
    database(&program, &directory);
    let image = directory.join("image");
    fs::write(&image, b"old").unwrap();
    let reader = File::open(&image).unwrap();
    let words: Vec<&str> = WINDOW.split(' ').collect();
    let graph = [&["graph", "image"], &words[..]].concat();
    let refused = [&graph[..], &["DEF:a=a.rrd:b:AVERAGE", "LINE:a#ff0000"]].concat();
    let output = Command::new(&program).args(&refused).current_dir(&directory).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(fs::read(&image).unwrap(), b"old");
    run(&program, &directory, &[&graph[..], &["DEF:a=a.rrd:a:AVERAGE", "LINE:a#ff0000"]].concat());
    assert!(fs::read(&image).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(std::io::read_to_string(reader).unwrap(), "old");
    let names = fs::read_dir(&directory).unwrap().count();
    assert_eq!(names, 2, "the database and the image");
}
