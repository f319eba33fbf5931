//! Grid lines, labels and ticks of both axes at the values and times of a live rrdtool's.
#![allow(clippy::disallowed_methods)] // it starts rrdtool

#[path = "common/vector.rs"]
mod vector;

use std::process::Command;

use graph::{Arguments, draw};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rrd::{Stretch, Timestamp};
use vector::{Axes, Glyphs, Text};

struct Bench {
    directory: tempfile::TempDir,
    glyphs: Glyphs,
}

impl Bench {
    fn new() -> Option<Self> {
        oracle::program("rrdtool", "axes against rrdtool's own")?;
        let directory = tempfile::tempdir().expect("a directory");
        let words = ["-s", "1789000000", "-e", "1789090000", "-w", "900", "-n", "LEGEND:7:"];
        let further = ["-x", "none", "-y", "none", "--disable-rrdtool-tag", "HRULE:1#ff0000"];
        let mut words: Vec<String> = words.iter().chain(&further).map(|it| (*it).into()).collect();
        words.push(Glyphs::lesson());
        let svg = svg(&directory, "UTC", &words).expect("rrdtool draws");
        Some(Self { directory, glyphs: Glyphs::learn(&svg) })
    }

    /// Draws with both programs; `Err` tells what differs.
    fn compare(&self, zone: &str, line: &str) -> Result<(), String> {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        words.extend(["-g".into(), "--disable-rrdtool-tag".into(), "HRULE:0#00ff00".into()]);
        let Ok(svg) = svg(&self.directory, zone, &words) else { return Ok(()) };
        let theirs = self.glyphs.read(&svg);
        // With limits that -A moved far apart it goes on counting in the unit of the data.
        if theirs.minor_y.len() > 1000 {
            return Ok(());
        }
        words.extend(["-a".into(), "SVG".into()]);
        let arguments = Arguments::read(&words).map_err(|error| error.to_string())?;
        let now = Timestamp::from_seconds(1_790_000_000);
        let time_zone = TimeZone::get(zone).expect("the zone database");
        let mut nothing = |_: &[_]| Vec::<Result<Stretch, std::io::Error>>::new();
        let drawing =
            draw(&arguments, now, &time_zone, &mut nothing).map_err(|it| it.to_string())?;
        let ours = Axes::of_gyre(&String::from_utf8(drawing.image).expect("UTF-8"));
        differences(&ours, &theirs).map_err(|what| format!("TZ={zone} {line}: {what}"))
    }
}

fn svg(directory: &tempfile::TempDir, zone: &str, words: &[String]) -> Result<String, String> {
    let file = directory.path().join("picture.svg");
    // It takes all memory for some grids.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 1000000 -t 5; exec rrdtool graph \"$@\"", "sh"])
        .arg(&file)
        .args(["-a", "SVG"])
        .args(words)
        .env("TZ", zone)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Equal but for what each program rounds.
fn near(ours: &[f64], theirs: &[f64]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 0.05)
}

fn differences(ours: &Axes, theirs: &Axes) -> Result<(), String> {
    for (what, ours, theirs) in [
        ("minor lines of time", &ours.minor_x, &theirs.minor_x),
        ("major lines of time", &ours.major_x, &theirs.major_x),
        ("minor lines of value", &ours.minor_y, &theirs.minor_y),
        ("major lines of value", &ours.major_y, &theirs.major_y),
    ] {
        if !near(ours, theirs) {
            return Err(format!("{what}: {ours:?}, rrdtool's: {theirs:?}"));
        }
    }
    let words = |axes: &Axes| axes.texts.iter().map(|it| it.words.clone()).collect::<Vec<_>>();
    if words(ours) != words(theirs) {
        return Err(format!("labels: {:?}, rrdtool's: {:?}", words(ours), words(theirs)));
    }
    let apart = |(a, b): &(&Text, &Text)| (a.x - b.x).abs() > 1.5 || (a.y - b.y).abs() > 1.5;
    match ours.texts.iter().zip(&theirs.texts).find(apart) {
        Some((ours, theirs)) => Err(format!("{ours:?}, rrdtool's: {theirs:?}")),
        None => Ok(()),
    }
}

const ZONES: [&str; 6] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/St_Johns",
];

/// From a second to fifty years, about as many of each length.
fn span() -> impl Strategy<Value = i64> {
    (0.0..21.17_f64).prop_map(|power| power.exp().round().max(1.0) as i64)
}

/// rrdtool keeps the summer time of the first line for all: behind a change of the clocks its days
/// begin at 23:00 or 01:00, and months that begin so are counted from the day before. gyre's begin
/// at midnight.
fn changes_clocks(zone: &TimeZone, start: i64, end: i64) -> bool {
    let day_before = jiff::Timestamp::from_second(start - 86_400 * 366).expect("a time");
    zone.following(day_before).next().is_some_and(|it| it.timestamp().as_second() <= end)
}

fn check<V: std::fmt::Debug>(
    cases: u32,
    strategy: &impl Strategy<Value = V>,
    compare: impl Fn(&Bench, V) -> Result<(), String>,
) {
    let Some(bench) = Bench::new() else { return };
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new(config);
    let verdict = runner.run(strategy, |value| compare(&bench, value).map_err(TestCaseError::fail));
    if let Err(error) = verdict {
        panic!("{error}");
    }
}

#[test]
fn time_axes() {
    let zone = prop::sample::select(&ZONES[..]);
    let strategy = (zone, span(), 1_000_000_000_i64..1_900_000_000, 60_i64..1500);
    check(200, &strategy, |bench, (zone, span, end, width)| {
        // The first second that rrdtool takes lies in 1980.
        let start = (end - span).max(320_000_000);
        let time_zone = TimeZone::get(zone).expect("the zone database");
        if changes_clocks(&time_zone, start, end) {
            return Ok(());
        }
        let line = format!("-s {start} -e {end} -w {width} -h 20 -y none");
        bench.compare(zone, &line)
    });
}

/// A value of any size, either sign; often a round one.
fn value() -> impl Strategy<Value = f64> {
    let size = (-15.0..18.0_f64).prop_map(|power| 10_f64.powf(power));
    let round = (-12..15_i32, 1..20_i32)
        .prop_map(|(power, many)| format!("{many}e{power}").parse().expect("a number"));
    let sign = prop::sample::select(&[1.0, 1.0, -1.0, 0.0][..]);
    (prop_oneof![size, round], sign).prop_map(|(size, sign)| size * sign)
}

#[test]
fn value_axes() {
    let flags = prop::sample::select(&["", "-r", "-r", "-A", "-M", "-J", "-Y", "-Y -r"][..]);
    let further = prop::sample::select(&["", "", "", "-b 1024", "-X 3", "-X 0", "-X -6"][..]);
    let strategy = (value(), value(), 12_u32..700, flags, further);
    check(400, &strategy, |bench, (low, high, height, flags, further)| {
        // rrdtool cuts very long labels off in front.
        let is_long = further.starts_with("-X") && low.abs().max(high.abs()) > 1e12;
        if low >= high || is_long {
            return Ok(());
        }
        let window = "-s 1789000000 -e 1789090000 -w 60 -x none";
        let line = format!("{window} -h {height} -l {low} -u {high} {flags} {further}");
        bench.compare("UTC", &line)
    });
}

#[test]
fn value_axes_of_data() {
    let flags = prop::sample::select(&["", "", "-A", "-M", "-J", "-Y", "-l 0", "-l 0 -A"][..]);
    let strategy = (value(), value(), 12_u32..700, flags);
    check(400, &strategy, |bench, (low, high, height, flags)| {
        // rrdtool mistakes the margin of -A where the unit is smaller than 1.
        if flags.contains("-A") && low.abs().max(high.abs()) < 1.0 {
            return Ok(());
        }
        let window = "-s 1789000000 -e 1789090000 -w 60 -x none";
        let data = format!("LINE:{low}#ff0000 LINE:{high}#0000ff");
        bench.compare("UTC", &format!("{window} -h {height} {flags} {data}"))
    });
}

#[test]
fn logarithmic_axes() {
    let units = prop::sample::select(&["", "", "--units=si", "-X 0", "-b 1024"][..]);
    let size = || (-15.0..18.0_f64).prop_map(|power| 10_f64.powf(power));
    check(300, &(size(), size(), 12_u32..700, units), |bench, (low, high, height, units)| {
        if low * 1.01 >= high {
            return Ok(());
        }
        let window = "-s 1789000000 -e 1789090000 -w 60 -x none";
        bench.compare("UTC", &format!("{window} -h {height} -o -r -l {low} -u {high} {units}"))
    });
}

#[test]
fn right_axes() {
    let scale = prop_oneof![(-3..4_i32).prop_map(|it| 10_f64.powi(it)), 0.001..100.0_f64];
    let flags = prop::sample::select(&["", "-r", "-Y", "-A", "-X 0", "-b 1024", "-o -l 1 -r"][..]);
    let strategy = (0.5..6.0_f64, scale, -100..100_i32, 12_u32..300, flags);
    check(200, &strategy, |bench, (high, scale, shift, height, flags)| {
        let high = 10_f64.powf(high);
        let window = "-s 1789000000 -e 1789090000 -w 60 -x none";
        let axis = format!("--right-axis {scale}:{shift}");
        bench.compare("UTC", &format!("{window} -h {height} -l 0 -u {high} {flags} {axis}"))
    });
}

#[test]
fn formats_of_value_axes() {
    let Some(bench) = Bench::new() else { return };
    for line in [
        "-u4000 --left-axis-format %.3lf",
        "-u4000 --left-axis-formatter numeric --left-axis-format %8.1le",
        "-u100000 --left-axis-formatter timestamp",
        "-u100000 --left-axis-formatter timestamp --left-axis-format %H:%M",
        "-u100000 --left-axis-formatter duration",
        "-u100000 --left-axis-formatter duration --left-axis-format %H:%02m",
        "-u4000 -Y --left-axis-format %.1lf",
        "-u4000 --right-axis 2:1 --right-axis-format %.1lf",
        "-u100000 --right-axis 0.5:7 --right-axis-formatter timestamp",
        "-u100000 --right-axis 1:0 --right-axis-formatter duration",
        "-u100000 --right-axis 1:0 --right-axis-formatter duration --right-axis-format %M",
        "-u40000 -o -l1 --right-axis 1:5 --right-axis-format %.2lf",
        "-u40000 -o -l1 --left-axis-format %.2lf --units=si --right-axis 2:0",
        "-u4000 --right-axis 2:1 -y none",
    ] {
        let window = "-s 1789000000 -e 1789090000 -w 60 -h 90 -x none -l0 -r";
        if let Err(what) = bench.compare("Europe/Berlin", &format!("{window} {line}")) {
            panic!("{what}");
        }
    }
}
