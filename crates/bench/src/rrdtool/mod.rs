//! rrdtool's verbs in the pipe mode, and an update by a process of its own: Debian's rrdtool
//! against gyre under that name, alternately in one run.
//!
//! The files are MRTG's: step 300, two COUNTERs, AVERAGE and MAX of 1, 6, 24 and 288 PDPs, 800 rows
//! each, filled with data. Both programs work on copies of the same files with the same commands.
//! The output of reading verbs must be equal byte for byte, and so must the updated files.
//!
//! Expected: reading verbs spend most of their time on text and on opening files. gyre reads a file
//! in one call instead of mapping it page by page, and formats numbers without the C library's
//! general `printf`: three to ten times the rate. `create` is limited by the bytes that it writes.
//! `tune` of a file's structure ends with the new file on disk, so that rrdtool's is synced, too.

mod files;
mod work;
mod calls;
mod one_shot;

use std::path::{Path, PathBuf};
use std::time::Instant;

use ::options::{OwnRow, checked, switch};

use crate::options::{self, choose, fill};
use crate::pipe::{Pipe, Round, round};
use crate::report::{Report, Row};
use crate::update::{build_gyre, processor_time};
use files::Files;
pub(crate) use files::make_full_file;
use work::{Leaves, WORKS, Work};

/// The names of the parts: the verbs of the pipe mode, and one process for each update.
const NAMES: [&str; WORKS.len() + 1] = names();

const fn names() -> [&'static str; WORKS.len() + 1] {
    let mut names = [one_shot::NAME; WORKS.len() + 1];
    let mut nth = 0;
    while nth < WORKS.len() {
        names[nth] = WORKS[nth].name;
        nth += 1;
    }
    names
}

pub(crate) struct Options {
    files: usize,
    rounds: usize,
    /// The divisor of the number of commands.
    quick: usize,
    only: Vec<&'static str>,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "rrdtool";
    const ABOUT: &'static str =
        "each verb of the pipe mode, update and graph by processes of their own, against rrdtool";
    const PARTS: &'static [&'static str] = &NAMES;
    const TABLE: &'static [OwnRow<Self>] = &[
        checked("--files", "N", "files, resident in the page cache (100)", |o, it| {
            fill(&mut o.files, &it)
        }),
        checked("--rounds", "N", "rounds, the two taking turns (5)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.only, &NAMES, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { files: 100, rounds: 5, quick: 1, only: NAMES.into(), json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { quick: 20, ..Self::full() })
    }
}

/// Both programs, Debian's first.
struct Pair {
    programs: [PathBuf; 2],
    directories: [PathBuf; 2],
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or results that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let rrdtool = oracle::program("rrdtool", "the benchmark").ok_or("rrdtool is not installed")?;
    let gyre = build_gyre()?;
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let directories = [directory.path().join("rrdtool"), directory.path().join("gyre")];
    let pair = Pair { programs: [rrdtool, gyre], directories };
    let files = Files::make(&pair, options.files)?;
    let is_wanted = |name: &str| options.only.contains(&name);
    let mut report = Report::default();
    for work in WORKS.iter().filter(|work| is_wanted(work.name)) {
        measure(&options, &pair, &files, work)?.into_iter().for_each(|row| report.row(row));
    }
    if is_wanted(one_shot::NAME) {
        let rows = one_shot::measure(&pair, &files, 1000 / options.quick)?;
        rows.into_iter().for_each(|row| report.row(row));
    }
    report.print("rrdtool", options.json)
}

/// Runs the same rounds with both programs alternately.
fn measure(options: &Options, pair: &Pair, files: &Files, work: &Work) -> Result<Vec<Row>, String> {
    let count = (work.commands / options.quick).max(10);
    let lines = |round: usize, count: usize| files.lines(work, round, count);
    if work.is_reading {
        same_answers(pair, &lines(0, options.files.min(count)))?;
    }
    let mut rounds: [Vec<Round>; 2] = Default::default();
    for nth in 0..options.rounds {
        let commands = lines(nth, count);
        for who in [0, 1] {
            rounds[who].push(match work.leaves {
                Leaves::Reshaped => one_by_one(pair, who, &commands)?,
                _ => round_of(pair, who, &commands, count)?,
            });
        }
        files.check(pair, work, nth, count)?;
    }
    let few = 50;
    let calls = [0, 1]
        .map(|who| calls::per_command(pair, who, &lines(options.rounds, few), few).ok().flatten());
    files.check(pair, work, options.rounds, 0)?;
    let rate = |round: &Round| count as f64 / round.elapsed.as_secs_f64();
    let rates = rounds.each_ref().map(|rounds| rounds.iter().map(rate).collect::<Vec<_>>());
    let mut rows = vec![
        Row::of_turns(work.name, "/s", "rrdtool", &rates).times(work.target),
        processor_time(work.name, &rounds, count),
    ];
    if let [Some(theirs), Some(ours)] = calls {
        let row = Row::new(format!("{}: system calls", work.name), "calls", ours);
        rows.push(row.beside([("rrdtool", theirs)]).exact());
    }
    Ok(rows)
}

fn round_of(pair: &Pair, who: usize, commands: &str, count: usize) -> Result<Round, String> {
    round(&pair.programs[who], &pair.directories[who], commands.as_bytes(), count)
}

/// A round in which each command has its answer, and its file is on disk, before the next: gyre
/// syncs a file that takes another's place, and rrdtool's is synced here.
fn one_by_one(pair: &Pair, who: usize, commands: &str) -> Result<Round, String> {
    let directory = &pair.directories[who];
    let mut pipe = Pipe::start(&pair.programs[who], directory)?;
    let begun = Instant::now();
    let (mut last, mut processor_seconds) = (None, 0.0);
    for line in commands.split_inclusive('\n') {
        let round = pipe.ask(line.as_bytes(), 1)?;
        processor_seconds += round.processor_seconds;
        last = Some(round);
        if who == 0 {
            let name = line.split_whitespace().nth(1).ok_or("expected a file")?;
            let file = std::fs::File::open(directory.join(name));
            file.and_then(|file| file.sync_all()).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    let all = |last| Round { elapsed: begun.elapsed(), processor_seconds, ..last };
    last.map(all).ok_or("no command".into())
}

/// Checks that both reply the same, except for times.
fn same_answers(pair: &Pair, commands: &str) -> Result<(), String> {
    let answers = [0, 1].map(|who| calls::answers(pair, who, commands));
    let [theirs, ours] = answers.map(|answer| answer.map(without_times));
    let (theirs, ours) = (theirs?, ours?);
    let differs = theirs.iter().zip(&ours).position(|(theirs, ours)| theirs != ours);
    match differs {
        None if theirs.len() == ours.len() => Ok(()),
        _ => Err(format!("the two programs answer differently, from line {differs:?} on")),
    }
}

fn without_times(answer: Vec<u8>) -> Vec<Vec<u8>> {
    let lines = answer.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    lines.filter(|line| !line.starts_with(b"OK u:")).collect()
}

fn run(program: &Path, directory: &Path) -> std::process::Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = std::process::Command::new(program);
    // Under rrdtool's name, in UTC and the C locale, as in all tests.
    command.arg0("rrdtool").current_dir(directory).env("TZ", "UTC").env("LC_ALL", "C");
    command
}
