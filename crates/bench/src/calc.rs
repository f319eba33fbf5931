//! Calculation on rows: `gyre calc` beside `rrdtool -`, windows beside shorter ones, rows as
//! Parquet, and steps below a second.
//!
//! Expected: a database of 8,640 rows has 69 kB, which take 20 us to read; the percentile takes a
//! selection, 40 us; mean, peak and deviation four passes, 10 us each. rrdtool sorts all rows, and
//! consolidates them into pixels first.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ::options::{OwnRow, checked, option, switch};
use jiff::tz::TimeZone;
use rrd::rpn::{Clock, Column, Program, Variable, Vocabulary};
use testbed::ProcessCounters;

use crate::fine_steps;
use crate::options::{self, choose, fill};
use crate::report::{Report, Row};

const STEP_SECONDS: u64 = 300;
const START_SECONDS: u64 = 1_700_000_100;
/// How many times as fast as rrdtool.
const CALC_TARGET: f64 = 5.0;
/// How many times the time of a short window a long one may take.
const WINDOW_TARGET: f64 = 3.0;
/// Rows a second as Parquet, and the memory for it.
const PARQUET_TARGET: f64 = 5e6;
const PARQUET_MEBIBYTES: f64 = 256.0;
/// How often the memory of a program is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

pub(crate) struct Options {
    directory: PathBuf,
    databases: usize,
    rows: usize,
    exported: usize,
    exported_rows: usize,
    fine: usize,
    fine_seconds: u64,
    rounds: usize,
    json: bool,
    parts: Vec<&'static str>,
}

/// What can be measured by itself.
const PARTS: [&str; 4] = ["numbers", "windows", "parquet", "fine"];

impl Options {
    fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }
}

impl options::Options for Options {
    const NAME: &'static str = "calc";
    const ABOUT: &'static str = "numbers of all rows beside `rrdtool -`, moving windows, rows as Parquet, tenths of a second";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--databases", "N", "files that are calculated with (2000)", |o, it| {
            fill(&mut o.databases, &it)
        }),
        checked("--rows", "N", "rows of each (8640)", |o, it| fill(&mut o.rows, &it)),
        checked("--exported", "N", "databases of the store that is exported (100000)", |o, it| {
            fill(&mut o.exported, &it)
        }),
        checked("--exported-rows", "N", "rows of each (800)", |o, it| {
            fill(&mut o.exported_rows, &it)
        }),
        checked("--fine", "N", "databases with steps of a tenth of a second (10000)", |o, it| {
            fill(&mut o.fine, &it)
        }),
        checked("--fine-seconds", "S", "how long these are updated (600)", |o, it| {
            fill(&mut o.fine_seconds, &it)
        }),
        checked("--rounds", "N", "rounds, in which the programs take turns (5)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            databases: 2000,
            rows: 8640,
            exported: 100_000,
            exported_rows: 800,
            fine: 10_000,
            fine_seconds: 600,
            rounds: 5,
            json: false,
            parts: PARTS.to_vec(),
        }
    }

    fn quick() -> Option<Self> {
        Some(Self { databases: 200, exported: 5000, fine_seconds: 10, rounds: 3, ..Self::full() })
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or numbers that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let inside = tempfile::tempdir_in(&options.directory).map_err(told)?;
    let mut report = Report::default();
    if options.has("numbers") || options.has("parquet") {
        of_programs(&options, inside.path(), &mut report)?;
    }
    if options.has("windows") {
        report.row(windows(options.rows, options.rounds)?);
    }
    if options.has("fine") {
        let rows = fine_steps::rows(inside.path(), options.fine, options.fine_seconds)?;
        rows.into_iter().for_each(|row| report.row(row));
    }
    report.print("calc", options.json)
}

/// What gyre and rrdtool do as programs.
fn of_programs(options: &Options, inside: &Path, report: &mut Report) -> Result<(), String> {
    let rrdtool = oracle::program("rrdtool", "the benchmark").ok_or("rrdtool is not installed")?;
    let gyre = crate::update::build_gyre()?;
    if options.has("numbers") {
        let rows = calculate(options, &rrdtool, &gyre, inside)?;
        rows.into_iter().for_each(|row| report.row(row));
    }
    if options.has("parquet") {
        let rows = export(options, &rrdtool, &gyre, inside)?;
        rows.into_iter().for_each(|row| report.row(row));
    }
    Ok(())
}

/// A database whose archive is full, as a file.
fn full_file(rrdtool: &Path, directory: &Path, rows: usize) -> Result<Vec<u8>, String> {
    let path = directory.join("full.rrd");
    let run = |words: &[&str]| {
        let mut command = Command::new(rrdtool);
        run(command.args(words).env("TZ", "UTC").current_dir(directory)).map(drop)
    };
    let (start, rows_text) = (START_SECONDS.to_string(), format!("RRA:AVERAGE:0.5:1:{rows}"));
    let step = STEP_SECONDS.to_string();
    let create =
        ["create", "full.rrd", "-b", &start, "-s", &step, "DS:in:GAUGE:600:U:U", &rows_text];
    run(&create)?;
    let mut random = chance::Random::new(7);
    let samples: Vec<String> = (1..=rows as u64)
        .map(|row| {
            let value = random.below(1_000_000_000) as f64 / 8.0;
            format!("{}:{value}", START_SECONDS + row * STEP_SECONDS)
        })
        .collect();
    for together in samples.chunks(1000) {
        let words: Vec<&str> =
            ["update", "full.rrd"].into_iter().chain(together.iter().map(String::as_str)).collect();
        run(&words)?;
    }
    let bytes = fs::read(&path).map_err(told)?;
    fs::remove_file(&path).map_err(told)?;
    Ok(bytes)
}

/// `gyre calc` beside `rrdtool -`, on one core and on two.
fn calculate(
    options: &Options,
    rrdtool: &Path,
    gyre: &Path,
    inside: &Path,
) -> Result<Vec<Row>, String> {
    let tree = inside.join("tree");
    fs::create_dir(&tree).map_err(told)?;
    let file = full_file(rrdtool, inside, options.rows)?;
    let names: Vec<String> = (0..options.databases).map(|nth| format!("{nth:06}.rrd")).collect();
    for name in &names {
        fs::write(tree.join(name), &file).map_err(told)?;
    }
    let mut rows = Vec::new();
    for cores in [1, 2] {
        let mut turns: [Vec<f64>; 2] = Default::default();
        for _ in 0..options.rounds {
            let begun = Instant::now();
            let theirs = of_rrdtools(options, rrdtool, &tree, &names, cores)?;
            turns[0].push(begun.elapsed().as_secs_f64());
            let begun = Instant::now();
            let ours = of_gyre(options, gyre, &tree, cores)?;
            turns[1].push(begun.elapsed().as_secs_f64());
            compare(&theirs, &ours)?;
        }
        let count = ::figures::count(options.databases as u64);
        let beside = if cores == 1 { "one core" } else { "two cores" };
        let what = format!("95th, mean, peak, deviation of {count} databases, {beside}");
        rows.push(Row::of_turns(what, "s", "rrdtool", &turns).times(CALC_TARGET));
    }
    fs::remove_dir_all(&tree).map_err(told)?;
    Ok(rows)
}

/// The words behind the DEF of both programs.
const NUMBERS: [&str; 8] = [
    "VDEF:a=x,95,PERCENT",
    "VDEF:b=x,AVERAGE",
    "VDEF:c=x,MAXIMUM",
    "VDEF:d=x,STDEV",
    "PRINT:a:%.9le",
    "PRINT:b:%.9le",
    "PRINT:c:%.9le",
    "PRINT:d:%.9le",
];

fn window(options: &Options) -> (u64, u64) {
    (START_SECONDS, START_SECONDS + options.rows as u64 * STEP_SECONDS)
}

/// What so many rrdtools print that share the files.
fn of_rrdtools(
    options: &Options,
    rrdtool: &Path,
    tree: &Path,
    names: &[String],
    processes: usize,
) -> Result<Vec<String>, String> {
    let (start, end) = window(options);
    // rrdtool answers one row more where a window ends with a row.
    let (end, width) = (end - 1, options.rows);
    let numbers = NUMBERS.join(" ");
    let shares = names.chunks(names.len().div_ceil(processes));
    let children = shares.enumerate().map(|(core, names)| {
        let lines = names.iter().map(|name| {
            format!("graph x -s {start} -e {end} -w {width} DEF:x={name}:in:AVERAGE {numbers}\n")
        });
        let lines: String = lines.collect();
        let mut child = on_cores(rrdtool, &core.to_string())
            .arg("-")
            .env("TZ", "UTC")
            .current_dir(tree)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(told)?;
        let mut input = child.stdin.take().ok_or("no standard input")?;
        // It answers while it reads.
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        Ok::<_, String>((child, writer))
    });
    let children = children.collect::<Result<Vec<_>, String>>()?;
    let mut printed = Vec::new();
    let readers = children.into_iter().map(|(child, writer)| {
        std::thread::spawn(move || {
            let output = child.wait_with_output().map_err(told);
            let _ = writer.join();
            output
        })
    });
    for reader in readers.collect::<Vec<_>>() {
        let output = reader.join().map_err(|_| "a reader panicked")??;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers = text.lines().filter(|line| !line.starts_with("OK") && *line != "0x0");
        printed.extend(numbers.map(str::to_owned));
    }
    Ok(printed)
}

/// What `gyre calc` prints.
fn of_gyre(
    options: &Options,
    gyre: &Path,
    tree: &Path,
    cores: usize,
) -> Result<Vec<String>, String> {
    let (start, end) = window(options);
    let cores = if cores == 1 { "0" } else { "0,1" };
    let mut command = on_cores(gyre, cores);
    command.args(["calc", "-s", &start.to_string(), "-e", &end.to_string(), "--each", "*"]);
    command.arg("DEF:x={}:in:AVERAGE").args(NUMBERS).env("TZ", "UTC").current_dir(tree);
    let text = run(&mut command)?;
    let is_number = |line: &&str| line.parse::<f64>().is_ok();
    Ok(text.lines().filter(is_number).map(str::to_owned).collect())
}

fn on_cores(program: &Path, cores: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", cores]).arg(program).env_remove("RRDCACHED_ADDRESS");
    command
}

fn compare(theirs: &[String], ours: &[String]) -> Result<(), String> {
    match theirs == ours {
        true => Ok(()),
        false => Err(format!(
            "rrdtool printed {} numbers, gyre {}: first {:?} and {:?}",
            theirs.len(),
            ours.len(),
            theirs.first(),
            ours.first()
        )),
    }
}

/// TREND.PERCENT of 288 rows beside that of 12.
fn windows(rows: usize, rounds: usize) -> Result<Row, String> {
    let mut random = chance::Random::new(11);
    let values: Vec<f64> = (0..rows).map(|_| random.below(1_000_000_000) as f64 / 7.0).collect();
    let column = Column { start_seconds: 0, step_seconds: STEP_SECONDS, values: &values };
    let clock = Clock { tick: rrd::Tick::SECOND, now_seconds: 0, zone: &TimeZone::UTC };
    let micros = |window_rows: u64| {
        let text = format!("x,95,{},TREND.PERCENT", window_rows * STEP_SECONDS);
        let program = Program::parse_in(Vocabulary::Gyre, &text, &mut |_| Some(0)).map_err(told)?;
        let begun = Instant::now();
        let answer = program.evaluate(&[Variable::Series(column)], clock).map_err(told)?;
        let elapsed = begun.elapsed().as_secs_f64();
        std::hint::black_box(answer);
        Ok::<f64, String>(elapsed * 1e6)
    };
    let mut turns: [Vec<f64>; 2] = Default::default();
    for _ in 0..rounds.max(3) * 5 {
        turns[0].push(micros(12)?);
        turns[1].push(micros(288)?);
    }
    let what = format!("TREND.PERCENT of 288 rows, {} times", ::figures::count(rows as u64));
    Ok(Row::of_turns(what, "us", "of 12 rows", &turns).times(1.0 / WINDOW_TARGET))
}

/// The rows of a ring store as Parquet.
fn export(
    options: &Options,
    rrdtool: &Path,
    gyre: &Path,
    inside: &Path,
) -> Result<Vec<Row>, String> {
    let file = full_file(rrdtool, inside, options.exported_rows)?;
    let (tree, store) = (inside.join("exported"), inside.join("store"));
    for nth in 0..options.exported {
        let path = tree.join(format!("{:04}/port-{nth:07}.rrd", nth / 1000));
        disk::create_parents(&path).map_err(told)?;
        fs::write(&path, &file).map_err(told)?;
    }
    run(Command::new(gyre).arg("import").arg(&store).arg(&tree))?;
    fs::remove_dir_all(&tree).map_err(told)?;
    let rows = (options.exported * options.exported_rows) as f64;
    let (mut rates, mut mebibytes) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        let out = inside.join(format!("parquet-{round}"));
        let begun = Instant::now();
        let mut command = Command::new(gyre);
        command.arg("export").arg(&store).args(["--format", "parquet", "--all"]).arg(&out);
        let most = most_memory(command.stdout(Stdio::null()).spawn().map_err(told)?)?;
        rates.push(rows / begun.elapsed().as_secs_f64());
        mebibytes.push(most as f64 / f64::from(1 << 20));
        fs::remove_dir_all(&out).map_err(told)?;
    }
    let count = ::figures::count(options.exported as u64);
    let what = format!("rows of {count} databases as Parquet");
    Ok(vec![
        Row::of_rounds(what.clone(), "/s", &rates).at_least(PARQUET_TARGET),
        Row::of_rounds(format!("{what}: memory"), "MiB", &mebibytes).at_most(PARQUET_MEBIBYTES),
    ])
}

/// The most resident memory of a program until it ends.
fn most_memory(mut child: Child) -> Result<u64, String> {
    let mut most = 0;
    loop {
        if let Ok(counters) = ProcessCounters::of(child.id()) {
            most = most.max(counters.resident_bytes_max);
        }
        match child.try_wait().map_err(told)? {
            None => std::thread::sleep(LOOK_EVERY),
            Some(status) if status.success() => return Ok(most),
            Some(status) => return Err(format!("gyre export: {status}")),
        }
    }
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(told)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
