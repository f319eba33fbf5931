//! The daemon's figures: those of the project's table, each compared with Debian's rrdcached in the
//! same run.
//!
//! Each daemon is a process of its own; gyre's is this program under another name. The load is a
//! process of its own, too, so that its processor time is separate. Files and ring store have
//! MRTG's layout. Time in the network is simulated: cycles follow each other without a pause.
//!
//! Expected: an update in a batch costs the daemon with a ring store 0.1 us to receive and parse,
//! 1.2 us to look up, consolidate and log, and 0.4 us for flushes, so that two processors handle
//! 900,000 a second, including the load. The first touch of an uncached file costs a read of 4 KiB,
//! and the reads of directory and inode pages that its neighbours do not share.

mod options;
mod subject;
mod load;
mod sparse;
mod disk_reads;
mod create;
mod batch_ring;
mod first_touch;
mod round_trip;
mod visible;
mod write_back;
mod restart;

pub(crate) use batch_ring::create as create_ring;
pub(crate) use load::{Load, Manner, NAME as LOAD_NAME, main as load_main};
pub(crate) use subject::{NAME as DAEMON_NAME, Place, Subject, Sync};

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::report::Report;
use crate::room::Room;
use crate::workload::around_midnight;
pub(crate) use options::Options;
use testbed::Device;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    device: &'a Device,
    inside: &'a Path,
    debian: Option<PathBuf>,
    /// Files with only their headers on disk, made when a part first needs them.
    sparse: OnceCell<Result<Place, String>>,
}

impl Bench<'_> {
    fn place(&self, name: &str) -> Result<Place, String> {
        Place::make(self.inside, name)
    }

    /// The many files, whose daemons never write them.
    fn sparse_files(&self) -> Result<&Place, String> {
        let made = self.sparse.get_or_init(|| {
            let place = self.place("sparse")?;
            sparse::create(&place.base, self.options.rrds, first_cycle()).map(|()| place)
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn debian(&self) -> Option<Subject> {
        self.debian.clone().map(Subject::Debian)
    }
}

/// The first cycle that no file has had.
pub(crate) fn first_cycle() -> u64 {
    around_midnight(0)
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or a daemon that does.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let debian = oracle::program("rrdcached", "the benchmark's column of that name");
    let bench = Bench {
        options: &options,
        device: &room.device,
        inside: &room.path,
        debian: debian.filter(|_| options.peer),
        sparse: OnceCell::new(),
    };
    run_parts(&bench, &mut report);
    report.print("daemon", options.json)
}

fn run_parts(bench: &Bench<'_>, report: &mut Report) {
    type Part = fn(&Bench<'_>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] = [
        create::measure,
        batch_ring::measure,
        first_touch::measure,
        round_trip::measure,
        visible::measure,
        write_back::measure,
        restart::measure,
    ];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if bench.options.wants(name) {
            let measured = measure(bench, report);
            report.attempt(name, measured);
        }
    }
}
