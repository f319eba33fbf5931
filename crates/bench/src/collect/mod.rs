//! `gyre run` over simulated devices: what a target costs in processor time and memory, and how
//! many there may be.
//!
//! The devices are a process of its own on the same processors, whose time is told apart. The store
//! is a sparse ring store that syncs its log before it acknowledges.
//!
//! Expected for a target, two counters of 64 bits: a fiftieth of a request with its two system calls
//! and wake-ups on loopback, 30 us, makes 0.6 us; reading two bindings and writing two readings to a
//! log and into tiles about 4 us. So a million targets take 5 s of one core, 10 with what caches
//! miss.

mod options;
mod agents;
mod subject;
mod run;
mod steady;
mod compared;
mod mrtg;

use std::path::{Path, PathBuf};

use crate::report::Report;
use crate::room::Room;
use crate::update::build_gyre;
use agents::Wanted;
pub(crate) use agents::{NAME as AGENTS_NAME, main as agents_main};
pub(crate) use options::Options;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    gyre: PathBuf,
    inside: &'a Path,
}

impl Bench<'_> {
    /// Healthy devices, whose databases go to a directory of this name.
    fn wanted(&self, name: &str, devices: u32) -> Result<Wanted, String> {
        let directory = self.inside.join(name);
        std::fs::create_dir(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        Ok(Wanted {
            devices,
            ports: self.options.ports,
            dead_devices: 0,
            slow_devices: 0,
            slow_by_ms: 0,
            interval_seconds: self.options.interval_seconds,
            with_user: false,
            work_directory: directory.to_string_lossy().into_owned(),
            configuration: directory.join("mrtg.cfg"),
        })
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or a collector that does.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let bench = Bench { options: &options, gyre: build_gyre()?, inside: &room.path };
    type Part = fn(&Bench<'_>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] = [
        steady::measure,
        steady::measure_reload,
        compared::measure_faults,
        compared::measure_user,
        steady::measure_most,
        mrtg::measure,
    ];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if options.wants(name) {
            let measured = measure(&bench, &mut report);
            report.attempt(name, measured);
        }
    }
    report.print("collect", options.json)
}
