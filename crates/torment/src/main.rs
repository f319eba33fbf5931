//! Trials of the real gyre: it is killed again and again in the middle of its work, and its
//! databases are compared with the result of Debian's rrdtool for the acknowledged samples.
//!
//! ```text
//! seed -> world -> clients -> gyre -> killed -> started -> what it shows
//!                     '-> ledger: what was acknowledged -> rrdtool -> must be the same
//! ```
#![allow(clippy::disallowed_methods)] // it starts programs, and looks at files and the clock

mod arguments;
mod world;
mod ledger;
mod shadow;
mod site;
mod client;
mod daemon;
mod load;
mod judge;
mod kind;
mod case;
mod power;
mod rot;
mod room;
mod report;

use std::process::ExitCode;
use std::time::Instant;

use arguments::{Arguments, Extent, USAGE};
use case::Programs;
use kind::Kind;
use report::Report;
use room::Room;

/// A result, or the difference that was found.
type Checked<T> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "serve-disk") {
        return power::serve(&words[1..]);
    }
    if words.iter().any(|word| word == "--help") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::parse(words.into_iter()) {
        Ok(arguments) => arguments,
        Err(reason) => {
            eprintln!("{reason}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs trials; returns the number of differences.
fn run(arguments: &Arguments) -> Checked<u64> {
    let gyre = arguments.gyre.canonicalize();
    let gyre = gyre.map_err(|error| format!("{}: {error}", arguments.gyre.display()))?;
    let rrdtool = oracle::program("rrdtool", "what gyre keeps").ok_or("there is no rrdtool")?;
    let programs = Programs { gyre, rrdtool };
    room::remove_leftovers(&arguments.room).iter().for_each(|line| eprintln!("{line}"));
    let kinds = possible_kinds(arguments)?;
    let mut report = Report::default();
    let start = Instant::now();
    for nth in 0.. {
        let is_over = match arguments.extent {
            Extent::Time(time) => start.elapsed() >= time,
            Extent::Trials(trials) => nth >= trials,
        };
        if is_over {
            break;
        }
        let kept = arguments.stores[nth as usize % arguments.stores.len()];
        let turn = nth as usize / arguments.stores.len();
        let kind = kinds[turn % kinds.len()];
        let seed = arguments.seed + nth;
        let room = Room::new(&arguments.room)?;
        let (counts, outcome) = case::run(&programs, room.path(), kind, kept, seed);
        report.add(kind, kept, counts);
        if let Err(difference) = outcome {
            let kept_at = room.keep(&format!("torment-{}-{seed}", kind.name()))?;
            report.difference(kind, kept, seed, &difference, &kept_at);
        }
        report.progress(start.elapsed());
    }
    report.end(arguments.json)
}

/// The requested kinds. If this user may not mount disks, kinds that need one are left out and
/// reported; but in continuous integration, or if they were requested by name, that is an error.
fn possible_kinds(arguments: &Arguments) -> Checked<Vec<Kind>> {
    let mut kinds = arguments.kinds.clone();
    if !kinds.iter().any(|kind| kind.needs_disk()) {
        return Ok(kinds);
    }
    let room = Room::new(&arguments.room)?;
    let Some(reason) = power::refusal(room.path()) else { return Ok(kinds) };
    let message = format!("NOT TRIED, power cuts and disks that fail: {reason}");
    kinds.retain(|kind| !kind.needs_disk());
    if kinds.is_empty() || std::env::var_os("CI").is_some() {
        return Err(message);
    }
    eprintln!("{message}");
    Ok(kinds)
}
