//! The store's figures: those of the project's table, each compared with the peers' in the same
//! run.
//!
//! The store is in a process of its own, which executes commands in lines of JSON ([`worker`]). The
//! benchmark measures it from outside by the kernel's counters ([`testbed`]), puts it under a limit
//! of memory, and kills it. So memory, page-ins and restart are those of the store only, and no
//! figure depends on the program's own claims.
//!
//! Time in the network is simulated: cycles follow each other without a pause, a day within
//! minutes.
//!
//! Expected for a million RRDs: a cycle within 2 s, limited by the processors; 59 bytes written an
//! update; 715 bytes of memory an RRD (378 with tiles of one row); 4 s from `kill -9` to ready; a
//! day fetched cold in less than 1 ms; no page-in on the update path, with any size of memory.

mod pattern;
mod options;
mod scenario;
mod peers;
mod process;
mod protocol;
mod tables;
mod worker;
mod batch;
mod engine;

pub(crate) use batch::Batch;
pub(crate) use pattern::Pattern;
pub(crate) use process::{NAME as WORKER_NAME, WorkerProcess};
pub(crate) use protocol::{Command, CycleReply, FeedReply, Kind, Reply, StoreSpec};
pub(crate) use tables::Tables;
pub(crate) use worker::main as worker_main;

use std::path::Path;

use serde_json::json;
use testbed::Device;

use crate::report::Report;
use crate::workload::Layout;
pub(crate) use options::Options;
use peers::Peers;
use scenario::{Bench, Day};

/// Rows of five minutes in a ring of MRTG's layout, and of the tiles that it has more.
const FINEST_ROWS: u64 = 620;

/// The share of the RRDs for the second restart.
const SMALL_RESTART_SHARE: f64 = 0.32;

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or a store that does.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options = Options::parse(words)?;
    let temporary = tempfile::tempdir_in(&options.directory)
        .map_err(|error| format!("{}: {error}", options.directory.display()))?;
    // rrdcached changes its working directory to `/`, so the path must be absolute.
    let absolute = std::fs::canonicalize(temporary.path()).map_err(|error| error.to_string())?;
    let inside = &absolute;
    let device = Device::of(inside)?;
    let mut report = Report::default();
    report.raw("machine", testbed::notes(inside, &device)?);
    report.raw("parameters", json!(options));

    let mut peers = Peers::default();
    if options.wants("peers") {
        let measured = peers::measure(&options, &device, inside);
        peers = report.attempt("peers", measured).unwrap_or_default();
        clear(&inside.join("peers"));
    }
    report.raw("peers", json!(peers));
    let bench = Bench { options: &options, device: &device, peers: &peers };
    default_store(&bench, inside, &mut report);
    small_store(&bench, inside, &mut report);
    smallest_tiles(&bench, inside, &mut report);
    second_pass(&bench, inside, &mut report);
    report.print("store", options.json)
}

/// The store with default options, which most figures are measured with.
fn default_store(bench: &Bench<'_>, inside: &Path, report: &mut Report) {
    if !["day", "fetch", "restart", "limit", "out-of-step"].iter().any(|it| bench.options.wants(it))
    {
        return;
    }
    let options = bench.options;
    let spec = options.store("default", inside);
    let passed = Day::pass(bench, spec, options.warm_cycles, options.cycles);
    if let Some(mut day) = report.attempt("day", passed) {
        day.rows(bench, report, pass(options));
        report.raw("day", day.raw());
        report.raw("result_hash", json!(format!("{:016x}", day.result_hash)));
        if options.wants("fetch") {
            let fetched = scenario::fetches(bench, &mut day, report);
            report.attempt("fetch", fetched);
        }
        if options.wants("restart") {
            let restarted = scenario::restart(bench, &mut day, report);
            report.attempt("restart", restarted);
        }
        if options.wants("limit") || options.wants("out-of-step") {
            let limited = scenario::limited(bench, &mut day, report);
            let limited = report.attempt("limit", limited);
            if limited.is_some() && options.wants("out-of-step") {
                let uneven = scenario::out_of_step(bench, &mut day, report);
                report.attempt("out-of-step", uneven);
            }
        }
    }
    clear(&inside.join("default"));
}

/// What the counted cycles write to: rings of MRTG's layout that are new, or rings of which those
/// of five minutes, where most rows go, have all been written in the cycles before.
fn pass(options: &Options) -> &'static str {
    if options.warm_cycles < FINEST_ROWS {
        "first pass over the rings"
    } else {
        "second pass over the rings of five minutes"
    }
}

/// A third of the RRDs, killed and started again.
fn small_store(bench: &Bench<'_>, inside: &Path, report: &mut Report) {
    if !bench.options.wants("restart") {
        return;
    }
    let spec = StoreSpec {
        rrds: (bench.options.rrds as f64 * SMALL_RESTART_SHARE) as u64,
        ..bench.options.store("small", inside)
    };
    let passed = Day::pass(bench, spec, bench.options.warm_cycles, 1);
    if let Some(mut day) = report.attempt("restart", passed) {
        let restarted = scenario::restart(bench, &mut day, report);
        report.attempt("restart", restarted);
    }
    clear(&inside.join("small"));
}

/// Tiles of one row, which need the least memory.
fn smallest_tiles(bench: &Bench<'_>, inside: &Path, report: &mut Report) {
    if !bench.options.wants("smallest") {
        return;
    }
    let options = bench.options;
    let spec = StoreSpec { tile_rows: 1, ..options.store("smallest", inside) };
    let passed = Day::pass(bench, spec, options.warm_cycles, options.cycles);
    if let Some(day) = report.attempt("smallest", passed) {
        day.bytes_row(bench, report, pass(options));
        day.memory_row(bench, report, 400.0, "");
        report.raw("smallest", day.raw());
    }
    clear(&inside.join("smallest"));
}

/// Archives of few rows, so that tiles are overwritten within the run.
fn second_pass(bench: &Bench<'_>, inside: &Path, report: &mut Report) {
    /// After this many cycles, each ring except that of the days has been written once.
    const WRITTEN_ONCE_CYCLES: u64 = 80;
    const WRITTEN_BEFORE: &str = "rings written before";
    if !bench.options.wants("second-pass") {
        return;
    }
    for tile_rows in [bench.options.tile_rows, 1] {
        let spec = StoreSpec {
            tile_rows,
            layout: Layout::FewRows,
            ..bench.options.store("second-pass", inside)
        };
        let cycles = bench.options.cycles.min(72);
        let passed = Day::pass(bench, spec, WRITTEN_ONCE_CYCLES, cycles);
        if let Some(day) = report.attempt("second-pass", passed) {
            day.bytes_row(bench, report, WRITTEN_BEFORE);
            day.cycle_row(bench, report, &format!(", K={tile_rows}, {WRITTEN_BEFORE}"));
            let memory_bytes_max = if tile_rows == 1 { 400.0 } else { 1024.0 };
            day.memory_row(bench, report, memory_bytes_max, &format!(", {WRITTEN_BEFORE}"));
            day.page_ins_row(report, WRITTEN_BEFORE);
            report.raw(&format!("second pass, K={tile_rows}"), day.raw());
        }
        clear(&inside.join("second-pass"));
    }
}

/// Frees the space before the next store.
fn clear(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory); // it may never have been made
}
