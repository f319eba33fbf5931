//! The laboratory in its tiny form: set-up, updates of real files, verdicts, and complete clean-up.
//!
//! It needs root, control groups and loop devices, and reports if it cannot run.
#![allow(clippy::disallowed_methods)] // it starts the laboratory and reads what it wrote

#[path = "../../testbed/tests/left/mod.rs"]
mod left;

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use left::Left;

const EXPERIMENTS: [&str; 8] =
    ["fig6", "fig3-11", "fig12", "fig13", "fig14", "fig15-18", "io-modes", "open"];

/// The options in the documents exist.
#[test]
fn documented_options_exist() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gyre-lab")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let mut count = 0;
    for document in ["docs/lab.md", "docs/page-cache.md"] {
        let text = std::fs::read_to_string(project.join(document)).unwrap();
        let is_command =
            |line: &&str| line.trim_start_matches([' ', '#', '$']).starts_with("gyre-lab ");
        for line in text.lines().filter(is_command) {
            let command = line.split(" #").next().unwrap_or_default();
            let options = command.split_whitespace().filter(|word| word.starts_with("--"));
            options.for_each(|option| assert!(help.contains(option), "{document}: {line}"));
            count += 1;
        }
    }
    assert!(count > 4, "{count}");
}

#[test]
fn every_experiment_runs_in_its_tiny_form() {
    let directory = directory();
    if !can_run() {
        return;
    }
    let mut lab = command(directory.path(), &["all", "--quick", "--json"]);
    let lab = lab.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let process = lab.id();
    let output = lab.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let documents = String::from_utf8(output.stdout).unwrap();
    let documents: Vec<Value> =
        documents.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> = documents.iter().map(|it| it["experiment"].as_str().unwrap()).collect();
    assert_eq!(names, EXPERIMENTS);
    for (name, document) in EXPERIMENTS.iter().zip(&documents) {
        assert!(!document["verdicts"].as_array().unwrap().is_empty(), "{name}");
        let written = |end: &str| {
            std::fs::read_to_string(directory.path().join(format!("{name}{end}"))).unwrap()
        };
        let figures = document["figures"].as_array().unwrap();
        assert!(!figures.is_empty(), "{name}");
        table_has_rows(&written(".csv"), figures.len());
        // The background is a rectangle, too.
        assert!(lines_drawn(&written(".svg")) > 1, "{name}");
        let verdicts = document["verdicts"].as_array().unwrap();
        assert!(written(".txt").lines().count() >= 3 + verdicts.len(), "{name}");
    }
    pages_are_those_of_the_simulation(&documents[0]);
    assert_eq!(Left::at_last(process, directory.path()), Left::default());
}

/// The table has as many rows as the document, each with a field for each column.
fn table_has_rows(csv: &str, rows: usize) {
    // Text in quotes is every other part between the quotes; commas in it do not separate fields.
    let fields = |line: &str| 1 + line.split('"').step_by(2).flat_map(|it| it.matches(',')).count();
    let mut lines = csv.lines().map(fields);
    let columns = lines.next().unwrap();
    assert!(columns > 2 && lines.clone().all(|fields| fields == columns), "{csv}");
    assert_eq!(lines.count(), rows, "{csv}");
}

/// The number of curves and bars in a drawing, which must be valid XML.
fn lines_drawn(svg: &str) -> usize {
    let (mut reader, mut drawn) = (Reader::from_str(svg), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return drawn,
            Event::Start(tag) | Event::Empty(tag) => {
                let is_data = matches!(tag.name().as_ref(), "polyline" | "rect");
                drawn += usize::from(is_data);
            }
            _ => {}
        }
    }
}

/// Numbers of pages are deterministic: the pages that an update loads are exactly known.
fn pages_are_those_of_the_simulation(fig6: &Value) {
    for figures in fig6["figures"].as_array().unwrap() {
        let pages = |name: &str| figures[name].as_f64().unwrap();
        let way = figures["way"].as_str().unwrap();
        if way.ends_with("-advice") || way == "rrdtool" {
            assert!(pages("pages_max") <= 3.0, "{figures}");
            assert_eq!(pages("pages_mean"), pages("simulated_today"), "{figures}");
        }
    }
}

#[test]
fn an_interrupted_experiment_leaves_nothing_behind() {
    let directory = directory();
    if !can_run() {
        return;
    }
    let mut lab = command(directory.path(), &["fig13", "--quick"]);
    let mut lab = lab.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_a_worker(&mut lab, directory.path());
    let process = lab.id();
    assert!(Command::new("kill").arg("-INT").arg(process.to_string()).status().unwrap().success());
    assert_eq!(lab.wait().unwrap().code(), Some(1));
    assert_eq!(Left::at_last(process, directory.path()), Left::default());
}

/// Waits until a worker runs. Its control group is the last thing that is made before it, and its
/// disk exists until the end.
fn wait_for_a_worker(lab: &mut Child, directory: &Path) {
    while Left::of(lab.id(), directory).groups.is_empty() {
        assert_eq!(lab.try_wait().unwrap(), None, "it ended before it had a group");
        std::thread::sleep(Duration::from_millis(5));
    }
    // What was found before the group existed may not include the disk yet.
    let found = Left::of(lab.id(), directory);
    let counts = [found.directories.len(), found.mounts.len(), found.images.len()];
    assert_eq!(counts, [1; 3], "{found:?}");
}

#[test]
fn experiments_are_listed_and_mistakes_named() {
    let directory = directory();
    let output = gyre(directory.path(), &[]);
    let listed = String::from_utf8(output.stdout).unwrap();
    let names: Vec<_> = listed.lines().map(|it| it.split(' ').next().unwrap()).collect();
    assert_eq!(names, EXPERIMENTS);
    let output = gyre(directory.path(), &["fig99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no experiment fig99"));
}

fn command(directory: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre-lab"));
    command.args(words).arg("--output").arg(directory);
    command
}

fn gyre(directory: &Path, words: &[&str]) -> Output {
    command(directory, words).output().unwrap()
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn can_run() -> bool {
    let group = testbed::Cgroup::new("test", 64 << 20).map(drop);
    // In a directory that no other test inspects: a process that inspects a loop device keeps it
    // alive for a moment.
    let elsewhere = directory();
    let made = group.and_then(|()| testbed::LoopDisk::new(elsewhere.path(), 16 << 20).map(drop));
    let said = made.inspect_err(|error| {
        // Written directly, because the test harness hides `eprintln!` of tests that pass.
        let _ = writeln!(std::io::stderr(), "NOT TESTED, gyre lab: {error}");
    });
    said.is_ok()
}
