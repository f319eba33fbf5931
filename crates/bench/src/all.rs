//! All benchmarks, one after the other, each in a process of its own: a line for each figure, and a
//! run in the history.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ::options::{OwnRow, checked, option, switch};
use serde_json::{Value, json};
use testbed::Device;

use crate::history::{self, Figure, Run};
use crate::options::{self, choose};
use crate::report::{Report, head, line};

/// The benchmarks, with the words that make them small: all of them take ten minutes on two
/// processors.
const SMALL: [(&str, &[&str]); 20] = [
    ("update", &["--quick"]),
    ("rrdtool", &["--quick"]),
    ("graph", &["--quick"]),
    ("librrd", &["--quick"]),
    ("journal", &["--quick"]),
    ("store", &["--quick"]),
    ("daemon", &["--quick"]),
    ("server", &["--quick"]),
    ("series", &["--quick"]),
    ("sql", &["--quick"]),
    ("collect", &["--quick"]),
    ("capacity", &["--quick"]),
    ("plan", &["--quick"]),
    ("readahead", &["--quick"]),
    ("fincore", &["--quick"]),
    ("backup", &["--quick"]),
    ("exchange", &["--quick"]),
    ("calc", &["--quick"]),
    ("query", &["--quick"]),
    ("page", &["--quick"]),
];

const NAMES: [&str; SMALL.len()] = {
    let mut names = [""; SMALL.len()];
    let mut nth = 0;
    while nth < SMALL.len() {
        names[nth] = SMALL[nth].0;
        nth += 1;
    }
    names
};

pub(crate) struct Options {
    directory: PathBuf,
    history: PathBuf,
    is_full: bool,
    only: Vec<&'static str>,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "all";
    const ABOUT: &'static str =
        "every benchmark at a small size (ten minutes), and a line of the history for `compare`";
    const PARTS: &'static [&'static str] = &NAMES;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        option(
            "--history",
            "FILE",
            "where the run is added (target/bench/history.jsonl)",
            |o, it| o.history = it.path(),
        ),
        switch("--full", "at full size (hours)", |o| o.is_full = true),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.only, &NAMES, &it)),
        switch("--json", "the run as JSON; the table goes to stderr", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            history: history::default_path(),
            is_full: false,
            only: NAMES.into(),
            json: false,
        }
    }
}

/// Runs all benchmarks.
///
/// # Errors
///
/// Wrong options, a history that cannot be written, or a benchmark that fails: the others are run
/// all the same.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    // Each benchmark works in a directory that its own processes need not share.
    let directory = std::path::absolute(&options.directory).map_err(told)?;
    let size = if options.is_full { "full" } else { "small" };
    let machine = machine(&directory)?;
    let date = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second()).map_err(told)?;
    let mut run = Run::begin(date.to_string(), commit(), size, machine);
    let say = |text: &str| if options.json { eprintln!("{text}") } else { println!("{text}") };
    say(&head());
    for (name, small) in SMALL.iter().filter(|(name, _)| options.only.contains(name)) {
        let words = if options.is_full { &[] } else { *small };
        let begun = Instant::now();
        let measured = measure(name, words, &directory);
        let seconds = begun.elapsed().as_secs_f64();
        eprintln!("{name}: {}", ::figures::duration(seconds));
        match measured {
            Err(error) => run.failures.push(format!("{name}: {error}")),
            Ok(report) => {
                run.failures.extend(report.failures.iter().map(|it| format!("{name}: {it}")));
                for mut row in report.rows {
                    say(&line(name, &row));
                    row.notes.clear();
                    run.figures.push(Figure { benchmark: (*name).into(), row });
                }
            }
        }
    }
    history::append(&options.history, &run)?;
    if options.json {
        println!("{}", serde_json::to_string(&run).map_err(told)?);
    }
    eprintln!("added to {}", options.history.display());
    if run.failures.is_empty() { Ok(()) } else { Err(run.failures.join("\n")) }
}

/// Runs a benchmark in a process of its own, and reads its figures.
fn measure(name: &str, words: &[&str], directory: &Path) -> Result<Report, String> {
    let own = std::env::current_exe().map_err(told)?;
    let mut command = Command::new(own);
    command.arg(name).args(words).arg("--json").current_dir(directory).stdin(Stdio::null());
    let output = command.output().map_err(told)?;
    // One that failed in part has told the rest.
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("{}: {}", output.status, said.trim_end())
    })
}

/// What the figures depend on.
fn machine(directory: &Path) -> Result<Value, String> {
    let mut facts = testbed::notes(directory, &Device::of(directory)?)?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    facts["load"] = json!(load.split_whitespace().next());
    Ok(facts)
}

/// The commit of the working tree, with `+` if files differ from it; empty outside of one.
fn commit() -> String {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return String::new() };
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
    if changes.is_empty() { commit } else { commit + "+" }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::NAMES;
    use crate::BENCHMARKS;

    #[test]
    fn every_benchmark_is_one_of_all() {
        let others = BENCHMARKS.iter().map(|benchmark| benchmark.name);
        let measured: Vec<&str> =
            others.filter(|name| !["all", "compare"].contains(name)).collect();
        assert_eq!(measured, NAMES);
    }
}
