//! Measurements of gyre beside its peers: both in one run on one machine, told as a ratio.
#![allow(clippy::disallowed_methods)] // it exists to start programs and to look at the clock

mod pipe;
mod update;
mod journal;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: bench NAME [OPTIONS]

Measures gyre beside its peers in one run and prints the ratio.

  update    updates a second through the pipe mode: rrdtool - against gyre -
              --files N       files updated in turn, resident in the page cache (200)
              --updates N     updates in a round (100000)
              --rounds N      rounds, the two taking turns (5)
              --json          the figures as JSON
  journal   the store's journal: bytes an update, a sync into used segments against a growing file
              --directory D   where, on a real file system (.)
              --updates N     updates (1000000)
              --batch N       updates for each sync (1000)
              --json          the figures as JSON
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.split_first() {
        Some((name, options)) if name == "update" => update::main(options),
        Some((name, options)) if name == "journal" => journal::main(options),
        Some((name, _)) if name == "--help" || name == "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
