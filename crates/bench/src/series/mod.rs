//! A ring store behind a daemon beside VictoriaMetrics, which keeps every sample: how fast each
//! takes updates, and how fast a month of many series comes back.
//!
//! An update has two readings: a line of rrdcached's protocol with two data sources, a line of
//! Influx's with two fields. Both servers have the same two processors as the load.
//!
//! Expected: gyre takes an update in about 1.5 us of processor time with its sync, VictoriaMetrics
//! a line in 3 to 6. A month is 8,640 rows of 16 bytes, read from tiles of 18 rows; the rival
//! unpacks about 1 byte a value and writes 20 as JSON.

mod options;
mod victoria;
mod ingest;
mod month;

use std::path::{Path, PathBuf};

use crate::report::Report;
use crate::room::Room;
pub(crate) use options::Options;
pub(crate) use victoria::Victoria;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    inside: &'a Path,
    victoria: Option<PathBuf>,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or a server that does.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let victoria = oracle::program("victoria-metrics", "the benchmark's column of that name");
    let bench = Bench {
        options: &options,
        inside: &room.path,
        victoria: victoria.filter(|_| options.peer),
    };
    run_parts(&bench, &mut report);
    report.print("series", options.json)
}

fn run_parts(bench: &Bench<'_>, report: &mut Report) {
    type Part = fn(&Bench<'_>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] = [ingest::measure, month::measure];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if bench.options.parts.contains(&name) {
            let measured = measure(bench, report);
            report.attempt(name, measured);
        }
    }
}
