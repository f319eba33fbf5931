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
use crate::report::{Report, Row};

/// The default numbers of files: a small site, and one for which the limits of open files matter.
const FILES: [usize; 2] = [200, 2000];
/// The required multiple of rrdtool's rate.
const TARGET: f64 = 3.0;

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

    fn quick() -> Option<Self> {
        Some(Self { updates: 20_000, ..Self::full() })
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
    let mut report = Report::default();
    for case in cases.into_iter().map(|files| Options { files, ..options.clone() }) {
        measure(&case, &rrdtool, &gyre, &mut report)?;
    }
    report.print("update", options.json)
}

/// Measures both programs with one number of files.
fn measure(
    options: &Options,
    rrdtool: &Path,
    gyre: &Path,
    told: &mut Report,
) -> Result<(), String> {
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
    report(options, &rounds, hash, told);
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
        // The project, wherever the benchmark was started.
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        command.args(["build", "--release", "--quiet", "--manifest-path", manifest]);
        command.args(["--package", package]);
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

fn report(options: &Options, rounds: &[Vec<Round>; 2], hash: u64, report: &mut Report) {
    let what = format!("update, {} files", options.files);
    let rate = |round: &Round| options.updates as f64 / round.elapsed.as_secs_f64();
    let rates = rounds.each_ref().map(|rounds| rounds.iter().map(rate).collect::<Vec<_>>());
    report.row(Row::of_turns(&what, "/s", "rrdtool", &rates).times(TARGET));
    report.row(processor_time(&what, rounds, options.updates).times(TARGET));
    report.raw("result_hash", serde_json::json!(format!("{hash:016x}")));
}

/// The processor time of a command, in rounds in which both programs took turns.
pub(crate) fn processor_time(what: &str, rounds: &[Vec<Round>; 2], commands: usize) -> Row {
    let micros = |seconds: f64| seconds * 1e6 / commands as f64;
    let used = |round: &Round| micros(round.processor_seconds);
    let all = rounds.each_ref().map(|rounds| rounds.iter().map(used).collect::<Vec<_>>());
    let [theirs, ours] = rounds
        .each_ref()
        .map(|rounds| median(rounds.iter().map(|round| micros(round.system_seconds))));
    let row = Row::of_turns(format!("{what}: processor time"), "us", "rrdtool", &all);
    row.note(format!("of it in the kernel about {ours:.1} us, rrdtool's {theirs:.1} us"))
}

pub(crate) fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
