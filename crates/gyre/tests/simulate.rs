//! `gyre simulate`: the table in its forms, a layout from a file, traces, what is recorded from the
//! kernel, and mistakes.
#![allow(clippy::disallowed_methods)] // a test: it makes files and starts programs

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use capacity::policy::{NoReadahead, OnDemand};
use capacity::recording::Recording;
use capacity::replay::Method;
use capacity::trace::{Access, BlockMap, Cursor, Shape, Touch};
use capacity::trace_text::{Line, Runs};
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
fn a_trace_that_was_written_says_what_was_generated() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = directory.path().join("trace");
    let name = path.to_str().unwrap();
    let layout = ["--files", "5", "--days", "1", "--file-system", "ext2"];
    let policies = ["--pages", "3,9", "--cache", "lru,linux", "--readahead", "none,today"];
    let policies = [&policies[..], &["--method", "stream", "--json"]].concat();
    text(&[&layout[..], &["--write-trace", name]].concat());
    let generated = json(&[&layout[..], &policies].concat());
    let told = json(&[&["--trace", name], &policies[..]].concat());
    assert_eq!(generated["simulations"], told["simulations"]);
    assert_eq!(told["files"], 5);
    let piped = Command::new(GYRE)
        .args(["simulate", "--trace", "-", "--write-trace", "-"])
        .stdin(std::fs::File::open(&path).unwrap())
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    assert!(piped.status.success() && piped.stdout == std::fs::read(&path).unwrap());
    std::fs::write(&path, "gyre page trace 1\nfiles 1 data 2 metadata 0\n0 r2\n").unwrap();
    let wrong = simulate(&["--trace", name]);
    assert_eq!(wrong.status.code(), Some(1));
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        said.contains("trace: line 3: expected r or w and pages from 0 to 1, found \"r2\""),
        "{said}"
    );
}

/// Sources, archives and days of a file that is recorded; rings cross pages and turn over in them.
const RECORDED: [&str; 8] = [
    "--step",
    "60",
    "DS:a:COUNTER:600:0:U",
    "DS:b:GAUGE:600:U:U",
    "RRA:AVERAGE:0.5:1:700",
    "RRA:MAX:0.5:5:900",
    "RRA:AVERAGE:0.5:30:400",
    "RRA:LAST:0.5:1:300",
];
const RECORDED_DAYS: u64 = 1;

/// What `--record` writes for them.
fn recorded(directory: &Path, further: &[&str]) -> Vec<String> {
    let days = RECORDED_DAYS.to_string();
    let into = ["--record", directory.to_str().unwrap(), "--write-trace", "-", "--together"];
    let span = ["--days", &days, "--warm-up", "0", "--file-system", "ext2"];
    let trace = text(&[&into[..], &span, &RECORDED, further].concat());
    assert!(std::fs::read_dir(directory).unwrap().next().is_none(), "the file is gone");
    trace.lines().map(str::to_owned).collect()
}

const START_SECONDS: u64 = 12_000 * 86_400;

/// The recorded file, and its place in its life at first.
fn shape(block_map: BlockMap) -> (Shape, Cursor) {
    let definition = rrd::spec::definition(60, RECORDED[2..].iter().copied()).unwrap();
    let shape = Shape::new(&definition, 4096, block_map).unwrap();
    let cursor = Cursor::new(&shape, START_SECONDS, vec![0; shape.archives()]);
    (shape, cursor)
}

/// What the simulator says that the method sees.
fn simulated() -> Vec<String> {
    let (shape, cursor) = shape(BlockMap::Indirect);
    let mut recording = Recording::new(shape, cursor, Method::Pwrite, NoReadahead);
    let mut lines = Vec::new();
    for nth in 1..=RECORDED_DAYS * 1440 {
        let mut runs = Runs::default();
        for page in recording.update(START_SECONDS + nth * 60) {
            runs.push(Touch { page: *page, access: Access::Read });
        }
        lines.push(Line::Cycle(START_SECONDS + nth * 60).to_string());
        lines.push(Line::Update { file: 0, runs: runs.as_slice() }.to_string());
    }
    lines
}

#[test]
fn the_kernel_shows_what_the_simulator_says_that_it_would() {
    if disk::page_bytes() != 4096 {
        eprintln!("not tested: recorded traces, pages here have {} bytes", disk::page_bytes());
        return;
    }
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let recorded = recorded(directory.path(), &[]);
    assert_eq!(recorded[2], "count");
    for (found, expected) in recorded[3..].iter().zip(simulated()) {
        assert_eq!(*found, expected);
    }
    assert_eq!(recorded.len() - 3, simulated().len());
}

/// The window of the device that a directory is on, in pages; `None` where the kernel does not say.
fn window_pages(directory: &Path) -> Option<u32> {
    let device = std::fs::metadata(directory).unwrap().dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let kib = std::fs::read_to_string(format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb"));
    kib.ok()?.trim().parse::<u32>().ok().map(|kib| kib / 4)
}

#[test]
fn without_advice_the_kernel_reads_ahead_as_the_simulator_says() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let window = window_pages(directory.path()).filter(|pages| *pages > 0);
    let (Some(window), 4096) = (window, disk::page_bytes()) else {
        eprintln!("not tested: readahead, its window is unknown, or a page is not 4096 bytes");
        return;
    };
    let path = directory.path().join("file");
    let (shape, mut cursor) = shape(BlockMap::DataOnly);
    std::fs::write(&path, vec![1; shape.data_pages() as usize * 4096]).unwrap();
    let readahead = OnDemand::new(window);
    let mut recording = Recording::new(shape.clone(), cursor.clone(), Method::Pwrite, readahead);
    for nth in 1..=600 {
        let now_seconds = START_SECONDS + nth * 60;
        let file = disk::File::open(&path, disk::Mode::Update).unwrap();
        pagecache::advise::evict(&file, pagecache::advise::Stretch::WHOLE, true).unwrap();
        cursor.update(&shape, now_seconds, |touch| {
            let offset_bytes = u64::from(touch.page) * 4096;
            match touch.access {
                Access::Read => {
                    assert_eq!(file.read_at(&mut [0; 4096], offset_bytes).unwrap(), 4096);
                }
                Access::Write => file.write_at(&[2; 16], offset_bytes + 64).unwrap(),
            }
        });
        let mut pages = Vec::new();
        let bytes = file.len_bytes().unwrap() as usize;
        disk::Mapping::of(&file, 0, bytes).unwrap().residency(&mut pages).unwrap();
        let resident = (0..).zip(&pages).filter(|(_, is)| **is & 1 == 1).map(|(page, _)| page);
        assert_eq!(resident.collect::<Vec<u32>>(), recording.update(now_seconds), "{nth}");
    }
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
