//! Files without advice: touches the pages of updates like programs without advice.

use planner::{Access, Fleet, Way, predict};

use super::{Bench, Compared, Seen};
use crate::capacity::{
    FleetSpec, Method, Task, definition, limit_bytes, make_directories, run_watched,
};

/// Bytes of a page.
const PAGE_BYTES: f64 = 4096.0;

/// Reads headers and writes rows like gyre, but without the advice.
pub(super) fn run(bench: &Bench<'_>, pages: u64) -> Result<Compared, String> {
    let files = u32::try_from(bench.options.rrds).map_err(|_| "too many files".to_owned())?;
    let inside = bench.directory.join("pages");
    make_directories(&inside)?;
    let compared = compare(bench, FleetSpec { files }, &inside, pages);
    let _ = std::fs::remove_dir_all(&inside); // the space is needed
    compared
}

fn compare(
    bench: &Bench<'_>,
    fleet: FleetSpec,
    inside: &std::path::Path,
    pages: u64,
) -> Result<Compared, String> {
    fleet.make(inside)?;
    let cycles = bench.options.few_cycles;
    let task = Task {
        directory: inside.into(),
        fleet,
        method: Method::Pwrite,
        advice: false,
        cycles,
        window_pages: 0, // the simulation's alone
    };
    let (cache_pages, rrds) = (pages * bench.options.rrds, bench.options.rrds as f64);
    let (before, begun) = (bench.device.synced_counters()?, std::time::Instant::now());
    let watched = run_watched(&bench.interrupts, &task, cache_pages)?;
    let seconds = begun.elapsed().as_secs_f64();
    let written = bench.device.synced_counters()? - before;
    let counted = &watched.pages_read[cycles as usize / 2..];
    let seen = Seen {
        written_bytes: written.written_bytes as f64 / cycles as f64 / rrds,
        page_ins: counted.iter().sum::<u64>() as f64 / counted.len() as f64 / rrds,
        cached_bytes: watched.cached_pages as f64 * PAGE_BYTES,
        process_bytes: f64::NAN,
        kernel_bytes: f64::NAN,
        cycle_seconds: seconds / cycles as f64,
    };
    let access = Access { has_advice: false, ..Access::GYRE };
    let planned = Fleet::of(definition()?, bench.options.rrds);
    let machine = bench.machine(limit_bytes(fleet.files, cache_pages));
    Ok(Compared {
        name: format!("files without advice, {pages} pages each"),
        predicted: predict(&planned, &machine, Way::Files(access))
            .map_err(|error| error.to_string())?,
        seen,
        has_files: true,
    })
}
