//! Import of resident files into a ring store, and export of all of it again: databases a second,
//! beside the rate at which the disk takes their bytes.
//!
//! The files are MRTG's, each archive full. Exported files must equal those that were imported,
//! byte for byte.
//!
//! Expected: a database has 105 kB, each of which is read, put into tiles and written; so the disk
//! is the limit, and the processor bears twice its rate.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ::options::{OwnRow, checked, option, switch};
use disk::{File, Mode};
use testbed::ProcessCounters;

use crate::backup::disk_rates;
use crate::options::{self, fill};
use crate::report::{Report, Row};
use crate::rrdtool::make_full_file;

/// Files in a directory.
const DIRECTORY_FILES: usize = 1000;
/// Imported databases a second.
const IMPORT_TARGET: f64 = 20_000.0;
/// Exports, as a share of what the disk could take.
const EXPORT_TARGET: f64 = 0.8;

pub(crate) struct Options {
    directory: PathBuf,
    files: usize,
    rounds: usize,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "exchange";
    const ABOUT: &'static str =
        "import of resident files into a ring store, and export, beside the disk's rate";
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--files", "N", "files of 105 kB (20000)", |o, it| fill(&mut o.files, &it)),
        checked("--rounds", "N", "imports and exports, the two taking turns (3)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { directory: PathBuf::from("."), files: 20_000, rounds: 3, json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { files: 2000, ..Self::full() })
    }
}

/// The costs of the rounds of one way.
#[derive(Default)]
struct Costs {
    rates: Vec<f64>,
    processor_micros: Vec<f64>,
    /// What the disk took at that time.
    bounds: Vec<f64>,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or files that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let rrdtool = oracle::program("rrdtool", "the benchmark").ok_or("rrdtool is not installed")?;
    let gyre = crate::update::build_gyre()?;
    let inside = tempfile::tempdir_in(&options.directory).map_err(told)?;
    let place = |name: &str| inside.path().join(name);
    let (tree, store, back) = (place("tree"), place("store"), place("back"));
    let file = make_full_file(&rrdtool, inside.path())?;
    let names: Vec<String> = (0..options.files).map(name).collect();
    for name in &names {
        let path = tree.join(name);
        disk::create_parents(&path).map_err(told)?;
        std::fs::write(&path, &file).map_err(told)?;
    }
    testbed::sync_file_system(inside.path())?;
    let (mut import, mut export) = (Costs::default(), Costs::default());
    for round in 0..options.rounds {
        // One place a round: ext4 searches for inodes while others were just removed.
        let (store, back) = (numbered(&store, round), numbered(&back, round));
        let bound = disk_rates(inside.path()).map_err(told)?.1 / file.len() as f64;
        resident(&tree, &names)?;
        let words = ["import".as_ref(), store.as_os_str(), tree.as_os_str()];
        import.add(options.files, bound, || run(Command::new(&gyre).args(words)))?;
        let words = ["export".as_ref(), store.as_os_str(), "--all".as_ref(), back.as_os_str()];
        export.add(options.files, bound, || run(Command::new(&gyre).args(words)))?;
        for name in &names {
            if std::fs::read(back.join(name)).map_err(told)? != file {
                return Err(format!("{name}: what was exported differs from what was imported"));
            }
        }
    }
    let mut report = Report::default();
    let count = ::figures::count(options.files as u64);
    let [row, time] = import.rows(&format!("import of {count} resident files"));
    report.row(row.at_least(IMPORT_TARGET));
    report.row(time);
    let [row, time] = export.rows(&format!("export of {count} databases"));
    report.row(row.times(EXPORT_TARGET));
    report.row(time);
    report.print("exchange", options.json)
}

impl Costs {
    fn add(
        &mut self,
        files: usize,
        bound: f64,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let (begun, used) = (Instant::now(), ProcessCounters::own()?.children_seconds);
        work()?;
        self.rates.push(files as f64 / begun.elapsed().as_secs_f64());
        let used = ProcessCounters::own()?.children_seconds - used;
        self.processor_micros.push(used * 1e6 / files as f64);
        self.bounds.push(bound);
        Ok(())
    }

    /// The rate beside the disk's, and the processor time of a database.
    fn rows(self, what: &str) -> [Row; 2] {
        let turns = [self.bounds, self.rates];
        [
            Row::of_turns(what, "/s", "disk", &turns),
            Row::of_rounds(format!("{what}: processor time"), "us", &self.processor_micros),
        ]
    }
}

fn name(nth: usize) -> String {
    format!("{:04}/port-{nth:07}.rrd", nth / DIRECTORY_FILES)
}

fn numbered(path: &Path, round: usize) -> PathBuf {
    path.with_extension(round.to_string())
}

/// Brings the files into the page cache.
fn resident(tree: &Path, names: &[String]) -> Result<(), String> {
    let mut room = vec![0; 128 << 10];
    names.iter().try_for_each(|name| {
        let file = File::open(&tree.join(name), Mode::Read).map_err(told)?;
        file.read_at(&mut room, 0).map(drop).map_err(told)
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(told)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
