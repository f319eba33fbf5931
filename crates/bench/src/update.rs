//! Updates a second in the pipe mode: `rrdtool -` against gyre under that name.
//!
//! The files are MRTG's: step 300, two COUNTERs, AVERAGE and MAX of 1, 6, 24 and 288 PDPs, 800 rows
//! each. Both programs update copies of the same files with the same lines. Afterwards the copies
//! must be equal byte for byte; otherwise the benchmark fails.
//!
//! Expected: rrdtool spends most of an update in the kernel (open, lock, map, unmap, close). With
//! three reads and writes instead of the mapping, three to five times as many updates.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::copies::{START_SECONDS, STEP_SECONDS, compare, create_files};
use ::options::{OwnRow, checked, switch};

use crate::options::{self, fill};
use crate::pipe::{Round, round};

/// The default numbers of files: a small site, and one for which the limits of open files matter.
const FILES: [usize; 2] = [200, 2000];

#[derive(Clone)]
pub(crate) struct Options {
    files: usize,
    updates: usize,
    rounds: usize,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "update";
    const ABOUT: &'static str = "updates a second through the pipe mode: rrdtool - against gyre -";
    const TABLE: &'static [OwnRow<Self>] = &[
        checked(
            "--files",
            "N",
            "files updated in turn, resident in the page cache (200, then 2000)",
            |o, it| fill(&mut o.files, &it),
        ),
        checked("--updates", "N", "updates in a round (100000)", |o, it| fill(&mut o.updates, &it)),
        checked("--rounds", "N", "rounds, the two taking turns (5)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { files: 0, updates: 100_000, rounds: 5, json: false }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or results that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let rrdtool = oracle::program("rrdtool", "the benchmark").ok_or("rrdtool is not installed")?;
    let gyre = build_gyre()?;
    let cases = if options.files == 0 { FILES.to_vec() } else { vec![options.files] };
    let mut cases = cases.into_iter().map(|files| Options { files, ..options.clone() });
    cases.try_for_each(|case| measure(&case, &rrdtool, &gyre))
}

/// Measures both programs with one number of files.
fn measure(options: &Options, rrdtool: &Path, gyre: &Path) -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (theirs, ours) = (directory.path().join("rrdtool"), directory.path().join("gyre"));
    create_files(rrdtool, &theirs, &ours, options.files)?;

    let mut rounds: [Vec<Round>; 2] = Default::default();
    for nth in 0..options.rounds {
        let commands = commands(options, nth);
        let count = options.updates;
        rounds[0].push(round(rrdtool, &theirs, commands.as_bytes(), count)?);
        rounds[1].push(round(gyre, &ours, commands.as_bytes(), count)?);
    }
    let hash = compare(&theirs, &ours, options.files)?;
    report(options, &rounds, hash);
    Ok(())
}

/// Builds a package and returns the path of a file of it. If the benchmark is not a release build,
/// the file must exist already.
///
/// # Errors
///
/// It does not build.
pub(crate) fn build(package: &str, file: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let place = own.parent().ok_or("the benchmark lies in no target directory")?;
    let mut is_built = true;
    if place.ends_with("release") {
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--release", "--quiet", "--package", package]);
        is_built = command.status().map_err(|error| error.to_string())?.success();
    }
    let file = place.join(file);
    match is_built && file.is_file() {
        true => Ok(file),
        false => Err(format!("{package} does not build, or was not: {}", file.display())),
    }
}

/// Builds the program gyre and returns its path.
pub(crate) fn build_gyre() -> Result<PathBuf, String> {
    build("gyre", "gyre")
}

/// The lines of one round: all files in turn, with times a step later in each round.
fn commands(options: &Options, round: usize) -> String {
    let per_file = options.updates.div_ceil(options.files);
    let mut lines = String::with_capacity(options.updates * 48);
    for nth in 0..options.updates {
        let (turn, file) = (nth / options.files + round * per_file + 1, nth % options.files);
        let time = START_SECONDS + turn as u64 * STEP_SECONDS + file as u64 % STEP_SECONDS;
        let (input, output) = (turn * 1_234_567 + file, turn * 765_432 + file);
        let _ = writeln!(lines, "update {file}.rrd {time}:{input}:{output}"); // as above
    }
    lines
}

fn report(options: &Options, rounds: &[Vec<Round>; 2], hash: u64) {
    let rate = |round: &Round| options.updates as f64 / round.elapsed.as_secs_f64();
    let [theirs, ours] = rounds.each_ref().map(|rounds| median(rounds.iter().map(rate)));
    let micros = |rounds: &[Round], part: fn(&Round) -> f64| {
        median(rounds.iter().map(part)) * 1e6 / options.updates as f64
    };
    let parts = rounds.each_ref().map(|rounds| {
        (micros(rounds, |round| round.user_seconds), micros(rounds, |round| round.system_seconds))
    });
    if options.json {
        let figures = serde_json::json!({
            "benchmark": "update", "files": options.files, "updates_per_round": options.updates,
            "rounds": options.rounds, "rrdtool_updates_per_second": theirs,
            "gyre_updates_per_second": ours, "ratio": ours / theirs, "result_hash": hash,
        });
        println!("{figures}");
        return;
    }
    let Options { files, updates, rounds, .. } = options;
    println!("update: {files} resident files, {rounds} rounds of {updates} updates, pipe mode");
    for (name, rate, (user, system)) in [("rrdtool", theirs, parts[0]), ("gyre", ours, parts[1])] {
        println!(
            "  {name:8} {rate:9.0} updates/s   {user:5.2} us user + {system:5.2} us kernel each"
        );
    }
    println!("  ratio    {:9.2}   (files equal byte for byte, hash {hash:016x})", ours / theirs);
}

pub(crate) fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
