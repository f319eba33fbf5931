//! The files of both programs, and the commands for them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use oracle::{Reply, Rrdtool};

use super::Pair;
use super::work::{Leaves, Work};
use crate::copies::copy_by_pages;

const START_SECONDS: u64 = 1_500_000_000;
const STEP_SECONDS: u64 = 300;
/// Samples in the files at the start.
const SAMPLES: u64 = 3000;

/// The XML document for `restore`.
const DUMP: &str = "a.xml";

/// The files: `0.rrd` and so on in both directories.
pub(super) struct Files {
    count: usize,
}

impl Files {
    /// Lets rrdtool make one file with data and its dump; both directories get copies.
    pub(super) fn make(pair: &Pair, count: usize) -> Result<Self, String> {
        let [theirs, ours] = &pair.directories;
        for directory in [theirs, ours] {
            fs::create_dir(directory).map_err(|error| error.to_string())?;
        }
        fill_first(&pair.programs[0], theirs, SAMPLES)?;
        let copied = (0..count).try_for_each(|file| {
            let name = format!("{file}.rrd");
            let first = theirs.join("first.rrd");
            copy_by_pages(&first, &theirs.join(&name))?;
            copy_by_pages(&first, &ours.join(&name))
        });
        copied.map_err(|error| error.to_string())?;
        fs::copy(theirs.join(DUMP), ours.join(DUMP)).map_err(|error| error.to_string())?;
        Ok(Self { count })
    }

    /// The lines of one round.
    pub(super) fn lines(&self, work: &Work, round: usize, commands: usize) -> String {
        let end = START_SECONDS + SAMPLES * STEP_SECONDS;
        let mut lines = String::new();
        for nth in 0..commands {
            let file = nth % self.count;
            let line = match work.name {
                "update" => {
                    let turns = work.commands.div_ceil(self.count) as u64;
                    let turn = SAMPLES + round as u64 * turns + (nth / self.count) as u64 + 1;
                    format!("update {file}.rrd {}", reading(turn, file as u64))
                }
                "fetch" => format!("fetch {file}.rrd AVERAGE -s {} -e {end}", end - 86_400),
                "tune" => format!("tune {file}.rrd RRA#0:+1"),
                "create" => create(&new_name(work, round, nth)),
                "restore" => format!("restore {DUMP} {}", new_name(work, round, nth)),
                verb => format!("{verb} {file}.rrd"),
            };
            let _ = writeln!(lines, "{line}"); // a String takes everything
        }
        lines
    }

    /// Checks the results of a round. New files stay until the end: ext4 gives the inodes of
    /// files away again only seconds after these were removed, and searches for others meanwhile.
    pub(super) fn check(
        &self,
        pair: &Pair,
        work: &Work,
        round: usize,
        commands: usize,
    ) -> Result<(), String> {
        match work.leaves {
            Leaves::Nothing => {}
            Leaves::Changed if commands > 0 => same_files(pair, self.count)?,
            Leaves::Changed => {}
            Leaves::Reshaped => super::same_answers(pair, "dump 0.rrd\ndump 1.rrd\n")?,
            Leaves::New if commands > 0 => {
                let dump = format!("dump {}\n", new_name(work, round, commands / 2));
                super::same_answers(pair, &dump)?;
            }
            Leaves::New => {}
        }
        Ok(())
    }

    /// An update for a process of its own; the files take turns.
    pub(super) fn one_update(&self, nth: usize) -> Vec<String> {
        let turn = 10 * SAMPLES + (nth / self.count) as u64 * 1000;
        let file = nth % self.count;
        vec!["update".into(), format!("{file}.rrd"), reading(turn + SAMPLES * 100, file as u64)]
    }

    /// A graph of a day for a process of its own; the files take turns.
    pub(super) fn one_graph(&self, nth: usize) -> Vec<String> {
        let end = START_SECONDS + SAMPLES * STEP_SECONDS;
        let file = nth % self.count;
        let words = format!(
            "graph one-shot.png -s {} -e {end} -w 500 -h 150 -t Traffic \
             DEF:in={file}.rrd:ds0:AVERAGE DEF:out={file}.rrd:ds1:AVERAGE AREA:in#00cc00:In \
             LINE1:out#0000ff:Out GPRINT:in:MAX:%5.1lf%s",
            end - 86_400
        );
        words.split_whitespace().map(str::to_owned).collect()
    }
}

/// Lets rrdtool make `first.rrd` with so many samples, and its dump.
fn fill_first(rrdtool: &Path, directory: &Path, samples: u64) -> Result<(), String> {
    let mut rrdtool = Rrdtool::start(rrdtool, directory);
    let mut send = |command: &str| match rrdtool.send(command) {
        Reply::Ok(_) => Ok(()),
        Reply::Error(words) => Err(words),
    };
    send(&create("first.rrd"))?;
    for sample in 1..=samples {
        send(&format!("update first.rrd {}", reading(sample, 0)))?;
    }
    send(&format!("dump first.rrd {DUMP}"))
}

/// The bytes of a file of MRTG's layout, each of whose archives is full of known values.
///
/// # Errors
/// rrdtool's own, or those of the directory.
pub(crate) fn make_full_file(rrdtool: &Path, directory: &Path) -> Result<Vec<u8>, String> {
    /// The rows of the longest archive, 288 steps each.
    const SAMPLES: u64 = 800 * 288;
    fill_first(rrdtool, directory, SAMPLES)?;
    fs::read(directory.join("first.rrd")).map_err(|error| error.to_string())
}

fn create(name: &str) -> String {
    let mut line = format!(
        "create {name} -b {START_SECONDS} -s {STEP_SECONDS} DS:ds0:COUNTER:600:0:12500000 \
         DS:ds1:COUNTER:600:0:12500000"
    );
    for pdps in [1, 6, 24, 288] {
        for cf in ["AVERAGE", "MAX"] {
            let _ = write!(line, " RRA:{cf}:0.5:{pdps}:800"); // a String takes everything
        }
    }
    line
}

fn reading(turn: u64, file: u64) -> String {
    let seconds = START_SECONDS + turn * STEP_SECONDS + file % STEP_SECONDS;
    format!("{seconds}:{}:{}", turn * 1_234_567 + file, turn * 765_432 + file)
}

fn new_name(work: &Work, round: usize, nth: usize) -> String {
    format!("{}-{round}-{nth}.rrd", work.name)
}

fn same_files(pair: &Pair, count: usize) -> Result<(), String> {
    for file in 0..count {
        let name = format!("{file}.rrd");
        let [theirs, ours] =
            pair.directories.each_ref().map(|directory| fs::read(directory.join(&name)));
        if theirs.map_err(|error| error.to_string())? != ours.map_err(|error| error.to_string())? {
            return Err(format!("{name}: the two programs left different bytes"));
        }
    }
    Ok(())
}
