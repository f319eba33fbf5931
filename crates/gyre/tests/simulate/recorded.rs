//! Recorded updates of gyre and of Debian's rrdtool equal the simulated ones, with advice and
//! without.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use capacity::policy::{NoReadahead, OnDemand, ReadAround, Readahead};
use capacity::recording::Recording;
use capacity::replay::Method;
use capacity::trace::{Access, BlockMap, Cursor, Shape, Touch};
use capacity::trace_text::{Line, Runs};

use serde_json::Value;

use super::{directory, json, text};

/// A file whose updates of a day are recorded.
struct Recorded {
    step_seconds: u64,
    words: &'static [&'static str],
}

/// Rings cross pages and wrap within the day.
const SMALL: Recorded = Recorded {
    step_seconds: 60,
    words: &[
        "DS:a:COUNTER:600:0:U",
        "DS:b:GAUGE:600:U:U",
        "RRA:AVERAGE:0.5:1:700",
        "RRA:MAX:0.5:5:900",
        "RRA:AVERAGE:0.5:30:400",
        "RRA:LAST:0.5:1:300",
    ],
};

/// Larger than most readahead windows: 3,907 pages.
const LARGE: Recorded = Recorded {
    step_seconds: 3600,
    words: &[
        "DS:a:GAUGE:7200:U:U",
        "RRA:AVERAGE:0.5:1:500000",
        "RRA:MAX:0.5:1:500000",
        "RRA:MIN:0.5:2:500000",
        "RRA:LAST:0.5:1:500000",
    ],
};

const DAY_SECONDS: u64 = 86_400;
const START_SECONDS: u64 = 12_000 * DAY_SECONDS;

impl Recorded {
    /// The output of `--record`.
    fn trace(&self, further: &[&str]) -> Vec<String> {
        let directory = directory();
        let step = self.step_seconds.to_string();
        let into = ["--record", directory.path().to_str().unwrap(), "--write-trace", "-"];
        let from = ["--together", "--warm-up", "0", "--days", "1", "--step", &step];
        let kind = ["--file-system", "ext2"];
        let trace = text(&[&into[..], &from, &kind, self.words, further].concat());
        assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none(), "the file is gone");
        trace.lines().map(str::to_owned).collect()
    }

    /// The simulated events of the method.
    fn simulated(&self, method: Method, readahead: impl Readahead) -> Vec<String> {
        let words = self.words.iter().copied();
        let definition = rrd::spec::definition(self.step_seconds, words).unwrap();
        let shape = Shape::new(&definition, 4096, BlockMap::Indirect).unwrap();
        let cursor = Cursor::new(&shape, START_SECONDS, vec![0; shape.archives()]);
        let mut recording = Recording::new(shape, cursor, method, readahead);
        let mut lines = Vec::new();
        for nth in 1..=DAY_SECONDS / self.step_seconds {
            let now_seconds = START_SECONDS + nth * self.step_seconds;
            let mut runs = Runs::default();
            for page in recording.update(now_seconds) {
                runs.push(Touch { page: *page, access: Access::Read });
            }
            lines.push(Line::Cycle(now_seconds).to_string());
            lines.push(Line::Update { file: 0, runs: runs.as_slice() }.to_string());
        }
        lines
    }
}

/// Whether the page size is the one that the expectations assume; otherwise prints what is not
/// tested.
fn has_usual_pages(what: &str) -> bool {
    if disk::page_bytes() != 4096 {
        eprintln!("not tested: {what}, pages here have {} bytes", disk::page_bytes());
    }
    disk::page_bytes() == 4096
}

/// Checks that the recording equals the simulation.
fn assert_same(record: impl Fn() -> Vec<String>, simulated: &[String]) {
    let recorded = record();
    assert_eq!(recorded[2], "count");
    assert_same_lines(&recorded[3..], simulated);
}

fn assert_same_lines(recorded: &[String], simulated: &[String]) {
    for (found, expected) in recorded.iter().zip(simulated) {
        assert_eq!(found, expected);
    }
    assert_eq!(recorded.len(), simulated.len());
}

#[test]
fn with_advice_an_update_brings_what_it_needs() {
    if has_usual_pages("recorded traces") {
        assert_same(|| SMALL.trace(&[]), &SMALL.simulated(Method::Pwrite, NoReadahead));
    }
}

#[test]
fn rrdtool_brings_what_gyre_brings() {
    let what = "pages that rrdtool's updates bring";
    let Some(rrdtool) = oracle::program("rrdtool", what) else { return };
    if has_usual_pages(what) {
        let by_rrdtool = || SMALL.trace(&["--rrdtool", rrdtool.to_str().unwrap()]);
        assert_same(by_rrdtool, &SMALL.simulated(Method::Pwrite, NoReadahead));
    }
}

/// The readahead window of the directories' device, in pages; otherwise `None`, after printing what
/// is not tested.
fn window_pages(what: &str) -> Option<u32> {
    let window = window_pages_of(directory().path()).filter(|pages| *pages > 0);
    if window.is_none() {
        eprintln!("not tested: {what}, the device's readahead is unknown or off");
    }
    window.filter(|_| has_usual_pages(what))
}

fn window_pages_of(directory: &Path) -> Option<u32> {
    let device = std::fs::metadata(directory).unwrap().dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let kib = std::fs::read_to_string(format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb"));
    kib.ok()?.trim().parse::<u32>().ok().map(|kib| kib / 4)
}

#[test]
fn without_advice_reads_bring_what_the_simulator_says() {
    let Some(window) = window_pages("readahead of reads") else { return };
    for file in [SMALL, LARGE] {
        let record = || file.trace(&["--no-advice"]);
        assert_same(record, &file.simulated(Method::Pwrite, OnDemand::new(window)));
        let record = || file.trace(&["--no-advice", "--method", "stream"]);
        assert_same(record, &file.simulated(Method::Stream, OnDemand::new(window)));
    }
}

#[test]
fn without_advice_a_mapping_brings_what_the_simulator_says() {
    let Some(window) = window_pages("readahead of mappings") else { return };
    for file in [SMALL, LARGE] {
        let record = || file.trace(&["--no-advice", "--method", "mapping"]);
        assert_same(record, &file.simulated(Method::Mapping, ReadAround::new(window)));
    }
}

#[test]
fn recorded_told_and_generated_updates_count_alike() {
    if !has_usual_pages("counts of recorded traces") {
        return;
    }
    let directory = directory();
    let span = ["--step", "60", "--days", "1", "--warm-up", "0", "--pages", "2,5,9", "--json"];
    let generated = json(&[&span[..], SMALL.words].concat());
    let into = ["--record", directory.path().to_str().unwrap()];
    let recorded = json(&[&span[..], SMALL.words, &into].concat());
    let trace = directory.path().join("trace");
    let trace = trace.to_str().unwrap();
    text(&[&span[..], SMALL.words, &into, &["--write-trace", trace]].concat());
    assert_eq!(json(&["--trace", trace, "--pages", "2,5,9", "--json"]), recorded);
    // Resident pages are recorded in the order of the pages. A cache that does not hold all pages
    // of an update may miss others than it would in the order of their use.
    for nth in [1, 2] {
        let page_ins = |report: &Value| report["simulations"][nth]["page_ins"].clone();
        assert_eq!(page_ins(&generated), page_ins(&recorded), "{nth}");
    }
}
