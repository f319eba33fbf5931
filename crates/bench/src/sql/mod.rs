//! Rings as tables of MariaDB, PostgreSQL and SQLite: how fast rows go over, what tables take, what
//! a feed costs a store that is being updated. All commits are durable, and the servers are private
//! ones on the same processors.
//!
//! The parts named after databases write rows by the feed's statements, so that their figures are
//! the database's. The parts `busy` and `outage` feed from a ring store.
//!
//! Expected: a row of 32 bytes of values and as many of keys costs a server 4 to 8 us of processor
//! time (MariaDB: 2 us to look up, 1 us of undo and redo, the rest for SQL), SQLite 2 us. A table
//! five times the pool reads and writes a page of 16 KB for 200 rows once in K cycles. A day
//! is 24 blocks of 12 rows: as many pages, each 0.1 ms from disk.

mod options;
mod server;
mod table;
mod trigger;
mod rounds;
mod pool;
mod site;
mod busy;
mod outage;

use std::path::Path;

use crate::report::Report;
use crate::room::Room;
pub(crate) use options::Options;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    inside: &'a Path,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or a database that does.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    run_parts(&Bench { options: &options, inside: &room.path }, &mut report);
    report.print("sql", options.json)
}

fn run_parts(bench: &Bench<'_>, report: &mut Report) {
    type Part = fn(&Bench<'_>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] = [
        rounds::mariadb,
        rounds::postgres,
        rounds::sqlite,
        pool::measure,
        pool::compare,
        busy::measure,
        outage::measure,
    ];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if bench.options.parts.contains(&name) {
            let measured = measure(bench, report);
            report.attempt(name, measured);
        }
    }
}
