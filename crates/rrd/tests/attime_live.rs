//! AT-style times against a live rrdtool, in several zones.
//!
//! `graphv` prints the start and end that it made of its arguments.
#![allow(clippy::disallowed_methods)] // the test starts rrdtool and asks the clock

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use rrd::attime::{parse, resolve_start_end};
use rustix::time::{ClockId, clock_gettime};

const ZONES: [&str; 5] =
    ["UTC", "America/New_York", "Europe/Zurich", "Australia/Lord_Howe", "Asia/Kathmandu"];
const CASES_A_ZONE: usize = 120;

#[test]
fn equals_rrdtool_in_several_zones() {
    let Some(program) = oracle::program("rrdtool", "AT-style times as rrdtool reads them") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    for zone in ZONES {
        let mut rrdtool = Rrdtool::start(&program, directory.path(), zone);
        let mut runner = TestRunner::deterministic();
        for _ in 0..CASES_A_ZONE {
            let (start, end) = (time(), time()).new_tree(&mut runner).unwrap().current();
            compare(&mut rrdtool, &TimeZone::get(zone).unwrap(), &start, &end);
        }
    }
}

/// Asks again if the answers differ: rrdtool looks at the clock for each of the two times, and the
/// second may change in between.
fn compare(rrdtool: &mut Rrdtool, zone: &TimeZone, start: &str, end: &str) {
    let mut told = (String::new(), Vec::new());
    for _ in 0..3 {
        let before = now_seconds();
        let theirs = rrdtool.start_and_end(start, end);
        let ours: Vec<String> =
            (before..=now_seconds()).map(|now| answer(start, end, now, zone)).collect();
        if ours.contains(&theirs) {
            return;
        }
        told = (theirs, ours);
    }
    panic!("-s '{start}' -e '{end}': {}, ours {:?}", told.0, told.1);
}

/// What graphv says: the two times, or its complaint.
fn answer(start: &str, end: &str, now_seconds: i64, zone: &TimeZone) -> String {
    let start = match parse(start) {
        Ok(start) => start,
        Err(error) => return format!("ERROR: start time: {error}"),
    };
    let end = match parse(end) {
        Ok(end) => end,
        Err(error) => return format!("ERROR: end time: {error}"),
    };
    match resolve_start_end(&start, &end, now_seconds, zone) {
        Ok((start, _)) if start < 10 * 365 * 86_400 => {
            format!("ERROR: the first entry to fetch should be after 1980 ({start})")
        }
        Ok((start, end)) if start >= end => {
            format!("ERROR: start ({start}) should be less than end ({end})")
        }
        Ok((start, end)) => format!("graph_start = {start} graph_end = {end}"),
        Err(error) => format!("ERROR: {error}"),
    }
}

/// The second that `time(2)` tells, which rrdtool asks: that of the clock's last tick, which may
/// lie milliseconds back, in the second before.
fn now_seconds() -> i64 {
    clock_gettime(ClockId::RealtimeCoarse).tv_sec
}

fn time() -> impl Strategy<Value = String> {
    let hour = prop_oneof![
        (0..25_u32, 0..62_u32).prop_map(|(hour, minute)| format!("{hour}:{minute:02}")),
        (0..14_u32, "(am|pm| PM)").prop_map(|(hour, half)| format!("{hour}{half}")),
        "(noon|midnight|teatime|2:30|1:30)",
    ];
    let day = prop_oneof![
        "(today|tomorrow|yesterday|Mon|sunday|Thu|14[.]3[.]2010|7[.]11[.]2010|28/3/2010|31[.]10[.]2010)",
        (1..32_u32, 1..13_u32, 1971..2037_u32).prop_map(|(d, m, y)| format!("{d}.{m}.{y}")),
        (1..32_u32, 1..13_u32, 0..99_u32).prop_map(|(d, m, y)| format!("{m}/{d}/{y:02}")),
        (1971..2037_u32, 1..13_u32, 1..32_u32).prop_map(|(y, m, d)| format!("{y}{m:02}{d:02}")),
        "(Jan|feb|MARCH) [0-9]{1,2} (200[0-9]|0[0-9])",
    ];
    let offset = "([+-][ ]?[0-9]{1,3}[ _]?(s|sec|min|h|hours|d|days|w|wk|mon|m|y|years|)){1,3}";
    prop_oneof![
        4 => (hour, day, prop_oneof![Just(String::new()), offset])
            .prop_map(|(hour, day, offset)| format!("{hour} {day} {offset}")),
        4 => ("(now|n|end|e|start|s|epoch|)", offset).prop_map(|(from, offset)| from + &offset),
        2 => (400_000_000..2_000_000_000_u32).prop_map(|seconds| seconds.to_string()),
        1 => "[0-9]{1,8}([.:/+-][0-9a-z]{1,4}){0,3}",
        1 => "(now|noon|[0-9]|Dec|_|am|end|[:+#]){1,4}",
    ]
}

struct Rrdtool {
    child: Child,
    replies: BufReader<std::process::ChildStdout>,
}

impl Rrdtool {
    fn start(program: &Path, directory: &Path, zone: &str) -> Self {
        let mut child = Command::new(program)
            .arg("-")
            .current_dir(directory)
            .envs([("TZ", zone), ("LC_ALL", "C")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        Self { child, replies }
    }

    fn start_and_end(&mut self, start: &str, end: &str) -> String {
        let commands = self.child.stdin.as_mut().unwrap();
        let size = "-a SVG -w 10 -h 10";
        writeln!(commands, "graphv x.svg {size} '--start={start}' '--end={end}' HRULE:1#ff0000")
            .unwrap();
        let mut times = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.replies.read_line(&mut line).unwrap() > 0, "rrdtool ended");
            let line = line.trim_end_matches('\n');
            if line.starts_with("ERROR: ") {
                return line.to_owned();
            } else if line.starts_with("OK ") {
                return times.join(" ");
            } else if line.starts_with("graph_start") || line.starts_with("graph_end") {
                times.push(line.to_owned());
            }
        }
    }
}

impl Drop for Rrdtool {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
