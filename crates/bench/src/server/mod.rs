//! A ring store that a server has open, used by other processes at the same time.
//!
//! The server is gyre's daemon in a process of its own. Its clients are the program `gyre` in the
//! pipe mode, Perl with gyre's librrd, and `gyre export`. The same commands also go to a store that
//! the pipe mode has opened itself.
//!
//! Expected: a request to a server costs each side two more system calls and a wake-up, together 30
//! to 60 us if processors sleep in between. Reading and drawing is the same work, and rows are sent
//! over a socket once. So a graph costs at most a tenth more, a fetch of a day, which is mostly
//! printing numbers, less than twice as much, and lines without a wait for the reply are sent
//! together.

mod options;
mod verbs;
mod perl;
mod paced;
mod busy;

use std::path::{Path, PathBuf};

use crate::daemon::{Load, Manner, Place, first_cycle};
use crate::report::Report;
use crate::room::Room;
use crate::update::build_gyre;
pub(crate) use options::Options;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    gyre: PathBuf,
    inside: &'a Path,
}

impl Bench<'_> {
    /// Sends the first cycles to a server, without a pause between them.
    fn send_history(&self, place: &Place, rrds: u64, cycles: u64) -> Result<(), String> {
        let manner = Manner::Batches { cycles, lines: self.options.batch_lines, connections: 2 };
        let load = Load { socket: place.socket(), rrds, first_cycle: first_cycle(), manner };
        load.send().map(drop)
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or a server that does.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let bench = Bench { options: &options, gyre: build_gyre()?, inside: &room.path };
    run_parts(&bench, &mut report);
    report.print("server", options.json)
}

fn run_parts(bench: &Bench<'_>, report: &mut Report) {
    type Part = fn(&Bench<'_>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] = [verbs::measure, perl::measure, busy::measure];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if bench.options.wants(name) {
            let measured = measure(bench, report);
            report.attempt(name, measured);
        }
    }
}
