//! Updates a second from Perl: `RRDs::update` with Debian's librrd, and with gyre's in its place.
//!
//! The files are those of the benchmark `update`, and must be equal byte for byte afterwards. Each
//! call opens and closes its file, as programs expect of librrd.
//!
//! Expected: an update with a mapping needs nine system calls, and a page fault for each page that
//! it touches; an update with pread and pwrite needs nine to ten calls and no fault. So about twice
//! as many a second, because Perl's own time for each call is part of both.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::copies::{START_SECONDS, STEP_SECONDS, compare, create_files};
use ::options::{OwnRow, checked, switch};

use crate::options::{self, fill};
use crate::report::{Report, Row};
use crate::update::build;

const SCRIPT: &str = include_str!("librrd.pl");
/// Debian's own interpreter, because only it finds the modules of Debian's packages.
pub(crate) const PERL: &str = "/usr/bin/perl";

/// The required multiple of the rate of Debian's librrd.
const TARGET: f64 = 3.0;

pub(crate) struct Options {
    files: usize,
    updates: usize,
    rounds: usize,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "librrd";
    const ABOUT: &'static str =
        "updates a second from Perl: RRDs over Debian's librrd against the same over gyre's";
    const TABLE: &'static [OwnRow<Self>] = &[
        checked(
            "--files",
            "N",
            "files updated in turn, resident in the page cache (200)",
            |o, it| fill(&mut o.files, &it),
        ),
        checked("--updates", "N", "updates in a round (50000)", |o, it| fill(&mut o.updates, &it)),
        checked("--rounds", "N", "rounds, the two taking turns (7)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { files: 200, updates: 50_000, rounds: 7, json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { updates: 10_000, ..Self::full() })
    }
}

/// The seconds of one round.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    pub(crate) elapsed: f64,
    user: f64,
    system: f64,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or results that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let rrdtool = oracle::program("rrdtool", "the benchmark").ok_or("rrdtool is not installed")?;
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = |name: &str| directory.path().join(name);
    let (theirs, ours, library) = (place("debian"), place("gyre"), place("library"));
    create_files(&rrdtool, &theirs, &ours, options.files)?;
    place_library(&library)?;

    let Options { files, updates, .. } = options;
    let mut rounds: [Vec<Round>; 2] = Default::default();
    for nth in 0..options.rounds {
        rounds[0].push(Calls { files, updates, nth }.made(&theirs, None, None)?);
        rounds[1].push(Calls { files, updates, nth }.made(&ours, Some(&library), None)?);
    }
    let hash = compare(&theirs, &ours, options.files)?;
    let mut report = Report::default();
    rows(&options, &rounds).into_iter().for_each(|row| report.row(row));
    report.raw("result_hash", serde_json::json!(format!("{hash:016x}")));
    report.print("librrd", options.json)
}

/// Makes a directory in which gyre's library has librrd's name.
///
/// # Errors
///
/// The library does not build.
pub(crate) fn place_library(directory: &Path) -> Result<(), String> {
    std::fs::create_dir(directory).map_err(|error| error.to_string())?;
    let library = build("librrd", "librrd_abi.so")?;
    symlink(library, directory.join("librrd.so.8")).map_err(|error| error.to_string())
}

/// One round of updates, of files in turn.
pub(crate) struct Calls {
    pub(crate) files: usize,
    pub(crate) updates: usize,
    /// The number of the round: its times come after those of earlier rounds.
    pub(crate) nth: usize,
}

impl Calls {
    /// Makes the calls in a directory, with Debian's library or with the one in `library`; through
    /// a daemon if there is an address.
    ///
    /// # Errors
    ///
    /// An update fails.
    pub(crate) fn made(
        &self,
        files: &Path,
        library: Option<&Path>,
        daemon: Option<&Path>,
    ) -> Result<Round, String> {
        let first_turn = self.nth * self.updates.div_ceil(self.files) + 1;
        let numbers = [self.updates, self.files, first_turn].map(|number| number.to_string());
        let mut command = Command::new(PERL);
        command.args(["-e", SCRIPT]).args(numbers);
        command.args([START_SECONDS, STEP_SECONDS].map(|seconds| seconds.to_string()));
        command.current_dir(files).env_remove("LD_LIBRARY_PATH").env_remove("RRDCACHED_ADDRESS");
        if let Some(library) = library {
            command.env("LD_LIBRARY_PATH", library);
        }
        if let Some(socket) = daemon {
            command.env("RRDCACHED_ADDRESS", format!("unix:{}", socket.display()));
        }
        let output = command.output().map_err(|error| format!("{PERL}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let seconds = said.split_whitespace().filter_map(|word| word.parse().ok());
        match (output.status.success(), &seconds.collect::<Vec<f64>>()[..]) {
            (true, &[elapsed, user, system]) => Ok(Round { elapsed, user, system }),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

fn rows(options: &Options, rounds: &[Vec<Round>; 2]) -> [Row; 2] {
    let of = |figure: &dyn Fn(&Round) -> f64| {
        rounds.each_ref().map(|rounds| rounds.iter().map(figure).collect::<Vec<_>>())
    };
    let updates = options.updates as f64;
    let what = format!("RRDs::update, {} files", options.files);
    let used = of(&|round| (round.user + round.system) * 1e6 / updates);
    [
        Row::of_turns(&what, "/s", "librrd", &of(&|round| updates / round.elapsed)).times(TARGET),
        Row::of_turns(format!("{what}: processor time"), "us", "librrd", &used).times(TARGET),
    ]
}
