//! Files a second whose residency is reported: util-linux's fincore, which gets every name from
//! xargs, against `gyre fincore` with the directory, and with the same list of names.
//!
//! util-linux needs six system calls a file (open, fstat, mmap, mincore, munmap, close) and builds
//! a table of all names. gyre needs four (openat in an open directory, fstat, cachestat, close), on
//! two threads. Expected: half of the kernel's time, on both processors, so at least three times as
//! many files a second on an idle machine.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{self, fill};
use crate::report::{Report, Row};

/// Files in a directory.
const DIRECTORY_FILES: usize = 1000;
const PAGE_BYTES: usize = 4096;
/// The required multiple of util-linux's rate.
const TARGET: f64 = 3.0;
/// The kernel may evict a page between two counts: a round with different counts is repeated, at
/// most this often.
const ATTEMPTS: usize = 5;

pub(crate) struct Options {
    directory: PathBuf,
    files: usize,
    rounds: usize,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "fincore";
    const ABOUT: &'static str =
        "files a second whose residency is told: util-linux's fincore against gyre's";
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked(
            "--files",
            "N",
            "files of a page or none, half of them resident (100000)",
            |o, it| fill(&mut o.files, &it),
        ),
        checked("--rounds", "N", "rounds, all taking turns (5)", |o, it| fill(&mut o.rounds, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { directory: ".".into(), files: 100_000, rounds: 5, json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { files: 3000, rounds: 3, ..Self::full() })
    }
}

/// The measured program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Subject {
    UtilLinux,
    Directory,
    List,
}

const SUBJECTS: [Subject; 3] = [Subject::UtilLinux, Subject::Directory, Subject::List];

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Self::UtilLinux => "util-linux",
            Self::Directory => "gyre fincore DIRECTORY",
            Self::List => "gyre fincore -0 < names",
        }
    }
}

/// The files, and the paths of the programs.
struct World {
    root: tempfile::TempDir,
    names: Vec<u8>,
    fincore: PathBuf,
    gyre: PathBuf,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or results that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let world = World::make(&options)?;
    let mut seconds: HashMap<Subject, Vec<f64>> = HashMap::new();
    for _ in 0..options.rounds {
        for (subject, taken) in SUBJECTS.into_iter().zip(world.round(options.files)?) {
            seconds.entry(subject).or_default().push(taken);
        }
    }
    let mut report = Report::default();
    rows(&options, &seconds).into_iter().for_each(|row| report.row(row));
    report.raw("parameters", serde_json::json!({ "files": options.files }));
    report.print("fincore", options.json)
}

impl World {
    fn make(options: &Options) -> Result<Self, String> {
        let fincore = oracle::program("fincore", "the benchmark");
        let fincore = fincore.ok_or("util-linux's fincore is not installed")?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let gyre = own.with_file_name("gyre");
        if !gyre.is_file() {
            return Err(format!("{}: expected gyre beside the benchmark", gyre.display()));
        }
        let text = |error: std::io::Error| format!("{}: {error}", options.directory.display());
        let directory = std::path::absolute(&options.directory).map_err(text)?;
        let root = tempfile::tempdir_in(directory).map_err(text)?;
        let mut names = Vec::new();
        for nth in 0..options.files {
            let below = root.path().join(format!("{:04}", nth / DIRECTORY_FILES));
            if nth % DIRECTORY_FILES == 0 {
                std::fs::create_dir(&below).map_err(text)?;
            }
            let path = below.join(format!("target-{nth:07}.rrd"));
            make_file(&path, nth % 2 == 0).map_err(text)?;
            names.extend_from_slice(path.as_os_str().as_encoded_bytes());
            names.push(0);
        }
        Ok(Self { root, names, fincore, gyre })
    }

    /// The seconds of each program, in a round in which all counted the same.
    fn round(&self, files: usize) -> Result<[f64; 3], String> {
        let mut differs = String::new();
        for _ in 0..ATTEMPTS {
            let mut counts = Vec::new();
            let mut seconds = [0.0; 3];
            for (subject, taken) in SUBJECTS.into_iter().zip(&mut seconds) {
                let begun = Instant::now();
                let said = self.run(subject)?;
                *taken = begun.elapsed().as_secs_f64();
                counts.push(pages_of(&said, subject)?);
            }
            let odd = counts.iter().position(|it| it.len() != files || *it != counts[0]);
            let Some(odd) = odd else { return Ok(seconds) };
            let resident: Vec<u64> = counts.iter().map(|it| it.values().sum()).collect();
            let name = SUBJECTS[odd].name();
            differs = format!("{name}: its counts differ from the others', in all {resident:?}");
        }
        Err(differs)
    }

    fn run(&self, subject: Subject) -> Result<Vec<u8>, String> {
        let mut command = match subject {
            Subject::UtilLinux => Command::new("xargs"),
            _ => Command::new(&self.gyre),
        };
        match subject {
            Subject::UtilLinux => {
                command.arg("-0").arg(&self.fincore).args(["-n", "-b", "-r", "-o", "PAGES,FILE"])
            }
            Subject::Directory => command.arg("fincore").arg(self.root.path()),
            Subject::List => command.args(["fincore", "-0"]),
        };
        let names = if subject == Subject::Directory { &[][..] } else { &self.names };
        output_of(&mut command, names)
    }
}

/// A file that is a hole of a page, resident once it was read; it takes no disk space.
fn make_file(path: &Path, is_resident: bool) -> std::io::Result<()> {
    let file = disk::File::create(path)?;
    file.truncate(PAGE_BYTES as u64)?;
    if is_resident {
        file.read_some_at(&mut [0; 1], 0)?;
    }
    Ok(())
}

/// The output of a program that reads `names`, which are written concurrently.
fn output_of(command: &mut Command, names: &[u8]) -> Result<Vec<u8>, String> {
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut process = started.map_err(|error| format!("{command:?}: {error}"))?;
    let mut input = process.stdin.take().ok_or("it has no standard input")?;
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(names));
        process.wait_with_output()
    });
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("it ended with {}", output.status)),
    }
}

/// The resident pages of each file, by its name.
fn pages_of(said: &[u8], subject: Subject) -> Result<HashMap<String, u64>, String> {
    let text = std::str::from_utf8(said).map_err(|error| error.to_string())?;
    let line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let pages = words.next()?.parse().ok()?;
        let path = words.next_back()?;
        Some((path.rsplit('/').next()?.to_owned(), pages))
    };
    // gyre's first and last lines are not about a file.
    let lines = text.lines().filter(|it| subject == Subject::UtilLinux || it.ends_with(".rrd"));
    lines
        .map(|it| line(it).ok_or_else(|| format!("expected a line of a file, found {it}")))
        .collect()
}

fn rows(options: &Options, seconds: &HashMap<Subject, Vec<f64>>) -> [Row; 2] {
    let rates = |subject: Subject| {
        let rate = |seconds: &f64| options.files as f64 / seconds;
        seconds[&subject].iter().map(rate).collect::<Vec<_>>()
    };
    [Subject::Directory, Subject::List].map(|subject| {
        let turns = [rates(Subject::UtilLinux), rates(subject)];
        Row::of_turns(subject.name(), "/s", "util-linux", &turns).times(TARGET)
    })
}
