//! Files of other machines: gyre prints the same about them as their own rrdtools did. Debian's
//! rrdtool of this machine reads, updates and prints the converted files with the same results.
//!
//! The files are those of `crates/rrdfile/tests/golden`, and new ones where `cargo xtask foreign`
//! has installed the rrdtools of other machines.
#![allow(clippy::disallowed_methods)] // the test reads files and starts programs

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use oracle::{FOREIGN_MACHINES, Reply, Rrdtool};

const SCRIPTS: [&str; 4] = ["plain", "kinds", "forecast", "moving"];

fn golden() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join("rrdfile").join("tests").join("golden")
}

fn run(program: &Path, directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.current_dir(directory).args(words).env("TZ", "UTC").env("LC_ALL", "C");
    command.output().expect("the program starts")
}

fn gyre(directory: &Path, words: &[&str]) -> Output {
    run(Path::new(env!("CARGO_BIN_EXE_gyre")), directory, words)
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Questions to a foreign rrdtool about a file, and its answers.
fn answers(machine: &str, script: &str) -> Vec<(Vec<String>, String)> {
    let path = golden().join(machine).join(script).with_extension("out");
    let text = fs::read_to_string(path).unwrap();
    let parts = text.split("$ ").skip(1).map(|part| {
        let (question, answer) = part.split_once('\n').unwrap();
        (question.split(' ').map(str::to_owned).collect(), answer.to_owned())
    });
    parts.collect()
}

/// Checks that both texts are equal, apart from known differences: 32-bit rrdtools dump one digit
/// less, and `info` shows the size of the machine's own header.
fn assert_same(theirs: &str, ours: &str, what: &str) {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("header_size = "));
        lines.map(str::to_owned).collect()
    };
    let (theirs, ours) = (lines(theirs), lines(ours));
    for (theirs, ours) in theirs.iter().zip(&ours) {
        let same = words(theirs).zip(words(ours)).all(|(theirs, ours)| is_same(theirs, ours));
        assert!(
            same && words(theirs).count() == words(ours).count(),
            "{what}\ntheirs {theirs}\nours   {ours}"
        );
    }
    assert_eq!(theirs.len(), ours.len(), "{what}");
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', '<', '>']).filter(|word| !word.is_empty())
}

fn is_same(theirs: &str, ours: &str) -> bool {
    // The sign of unknown values differs among machines.
    if theirs.trim_start_matches('-') == "nan" {
        return ours.trim_start_matches('-') == "nan";
    }
    if theirs == ours {
        return true;
    }
    let (Ok(theirs), Ok(ours)) = (theirs.parse::<f64>(), ours.parse::<f64>()) else { return false };
    (theirs - ours).abs() <= theirs.abs() * 1e-9
}

#[test]
fn gyre_tells_what_the_rrdtool_of_the_other_machine_tells() {
    for machine in FOREIGN_MACHINES {
        for script in ["plain", "kinds"] {
            for (question, answer) in answers(machine, script) {
                let question: Vec<&str> = question.iter().map(String::as_str).collect();
                if question[0] != "fetch" && script != "plain" {
                    continue; // what they say of a COMPUTE is held against rrdtool elsewhere
                }
                let ours = told(&gyre(&golden().join(machine), &question));
                assert_same(&answer, &ours, &format!("{machine}: {question:?}"));
            }
        }
    }
}

#[test]
fn an_update_of_a_foreign_file_says_how_to_convert_it() {
    let output = gyre(&golden().join("s390x"), &["update", "plain.rrd", "N:1:2"]);
    assert!(!output.status.success());
    let words = String::from_utf8(output.stderr).unwrap();
    for part in
        ["plain.rrd", "created on another architecture", "64-bit big-endian", "gyre convert"]
    {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn converting_keeps_permissions_and_leaves_what_needs_no_change() {
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    for (machine, name) in [("i386", "a.rrd"), ("native", "b.rrd")] {
        fs::copy(golden().join(machine).join("plain.rrd"), here.join(name)).unwrap();
        fs::set_permissions(here.join(name), fs::Permissions::from_mode(0o640)).unwrap();
    }
    let foreign = fs::read(here.join("a.rrd")).unwrap();
    let text = told(&gyre(here, &["convert", "--output", "new", "."]));
    assert!(text.contains("a.rrd: was 32-bit little-endian"), "{text}");
    assert!(text.ends_with("1 converted, 1 copied as they were\n"), "{text}");
    assert!(fs::read(here.join("a.rrd")).unwrap() == foreign, "what was converted stays");
    let text = told(&gyre(here, &["convert", "--in-place", "a.rrd", "b.rrd"]));
    assert!(text.ends_with("1 converted, 1 needed no change\n"), "{text}");
    for name in ["a.rrd", "b.rrd"] {
        let (one, other) = (here.join(name), here.join("new").join(name));
        assert!(fs::read(&one).unwrap() == fs::read(&other).unwrap(), "{name}");
        assert_eq!(fs::metadata(&one).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::metadata(&other).unwrap().permissions().mode() & 0o777, 0o640);
    }
    // Nothing is written over, and one bad file stops no other.
    fs::write(here.join("bad.rrd"), b"RRD, but no more").unwrap();
    let output = gyre(here, &["convert", "--json", "-o", "new", "a.rrd", "bad.rrd"]);
    assert!(!output.status.success());
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("creating new/a.rrd: File exists"), "{words}");
    assert!(words.contains("bad.rrd: offset 0: expected stat_head"), "{words}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report[0]["state"], "failed");
    for usage in [&["convert", "a.rrd"][..], &["convert", "-i", "-o", "x", "a.rrd"]] {
        assert!(!gyre(here, usage).status.success());
    }
    let left: Vec<_> = disk::files_below(here, "new").unwrap();
    assert!(left.is_empty(), "{left:?}");
}

/// A converted file equals what this machine's rrdtool restores from the other machine's dump.
#[test]
fn a_converted_file_is_what_rrdtool_restores_from_the_foreign_dump() {
    let Some(program) = oracle::program("rrdtool", "converted files read by rrdtool") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    let mut rrdtool = Rrdtool::start(&program, here);
    for machine in FOREIGN_MACHINES {
        for script in SCRIPTS {
            let source = golden().join(machine).join(script).with_extension("rrd");
            let (converted, restored) = (here.join("ours.rrd"), here.join("theirs.rrd"));
            for of_before in [&converted, &restored] {
                let _ = fs::remove_file(of_before); // restore cuts no longer file
            }
            told(&gyre(here, &["convert", source.to_str().unwrap(), "-o", "ours.rrd"]));
            let answers = answers(machine, script);
            let dump = &answers[1].1;
            fs::write(here.join("dump.xml"), dump).unwrap();
            assert_eq!(rrdtool.send("restore -f dump.xml theirs.rrd"), Reply::Ok(vec![]));
            let what = format!("{machine}/{script}");
            for (question, answer) in &answers[..] {
                let question = question.join(" ").replace(&format!("{script}.rrd"), "ours.rrd");
                let Reply::Ok(lines) = rrdtool.send(&question) else {
                    panic!("{what}: {question}")
                };
                let answer = answer.replace(&format!("{script}.rrd"), "ours.rrd");
                assert_same(&answer, &(lines.join("\n") + "\n"), &format!("{what}: {question}"));
            }
            let (ours, theirs) = (fs::read(&converted).unwrap(), fs::read(&restored).unwrap());
            assert_eq!(ours.len(), theirs.len(), "{what}");
        }
    }
}

/// The live state is complete: both machines continue from it with equal results.
#[test]
fn a_converted_file_goes_on_as_the_foreign_one_does() {
    let what = "live state of converted files";
    let Some(program) = oracle::program("rrdtool", what) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let mut native = Rrdtool::start(&program, scratch.path());
    for machine in FOREIGN_MACHINES {
        let Some(program) = oracle::foreign_rrdtool(machine, what) else { continue };
        let place = scratch.path().join(machine);
        fs::create_dir(&place).unwrap();
        let mut foreign = Rrdtool::start(&program, &place);
        for script in SCRIPTS {
            let source = golden().join(machine).join(script).with_extension("rrd");
            fs::copy(&source, place.join("it.rrd")).unwrap();
            let ours = scratch.path().join("it.rrd");
            let _ = fs::remove_file(&ours); // of the script before
            let words = ["convert", source.to_str().unwrap(), "-o", "it.rrd"];
            told(&gyre(scratch.path(), &words));
            for update in updates(script) {
                let command = format!("update it.rrd {update}");
                assert_eq!(foreign.send(&command), Reply::Ok(vec![]), "{machine}: {command}");
                assert_eq!(native.send(&command), Reply::Ok(vec![]), "{machine}: {command}");
            }
            let (Reply::Ok(theirs), Reply::Ok(ours)) =
                (foreign.send("dump it.rrd"), native.send("dump it.rrd"))
            else {
                panic!("{machine}/{script}: both dump")
            };
            let what = format!("{machine}/{script} after updates");
            assert_same(&theirs.join("\n"), &ours.join("\n"), &what);
        }
    }
}

/// The updates after those of a script.
fn updates(script: &str) -> Vec<String> {
    let update = |nth: i64| match script {
        "plain" => {
            format!("{}:{}:{}", 1_000_002_500 + nth * 170, 300_000 + nth * 3456, nth * 7 % 60)
        }
        "kinds" => {
            let (seconds, count) = (1_000_000_390 + nth * 50, nth * 40);
            format!("{seconds}:{nth}:{}:{count}:{nth}:2000000000{count}:{nth}.5", 4000 + count)
        }
        "forecast" => {
            format!("{}:{}:{}", 1_000_002_400 + nth * 60, nth % 6 * 3 + 1, 100 + nth * 7 % 13)
        }
        _ => format!("{}:{}", 1_000_002_640 + nth * 60, nth % 5 * 11 + nth),
    };
    (0..25).map(update).collect()
}
