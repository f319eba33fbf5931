//! The kernel's page cache compared with the simulated one.
//!
//! A program updates files of MRTG's layout under a limit of memory, so that a given number of
//! pages a file fit in the page cache. It does so by each method that programs use. The kernel's
//! count of pages read for it is compared with `capacity`'s prediction for a cache of the size that
//! the kernel was seen to use.
//!
//! Expected: with advice, nearly nothing is read once eight pages a file fit. Without advice, the
//! cliff is where whole windows fit: 26 pages a file for a mapping. Where a prediction changes much
//! for a cache that is one percent smaller or larger, results are not stable, and the kernel's own
//! runs differ, too.

mod options;
mod files;
mod worker;
mod watched;
mod simulated;

pub(crate) use files::{FleetSpec, definition, make_directories};
pub(crate) use options::Options;
pub(crate) use watched::{Watched, limit_bytes, run as run_watched};
pub(crate) use worker::{Method, NAME as WORKER_NAME, Task, main as worker_main};

use serde_json::json;
use testbed::{Device, Interrupts, Readahead};

use crate::report::{Report, Row};
use files::PAGE_BYTES;

/// The largest deviation of a prediction.
const DEVIATION_MAX: f64 = 0.1;

/// A way to update files.
#[derive(Clone, Copy, Debug)]
struct Way {
    name: &'static str,
    method: Method,
    advice: bool,
}

const fn way(name: &'static str, method: Method, advice: bool) -> Way {
    Way { name, method, advice }
}

const WAYS: [Way; 6] = [
    way("pwrite-advice", Method::Pwrite, true),
    way("pwrite", Method::Pwrite, false),
    way("pread-advice", Method::Pread, true),
    way("pread", Method::Pread, false),
    way("mapping-advice", Method::Mapping, true),
    way("mapping", Method::Mapping, false),
];

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, or a kernel that does not let this user make a control group.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let interrupts = Interrupts::watch()?;
    let inside = tempfile::tempdir_in(&options.directory)
        .map_err(|error| format!("{}: {error}", options.directory.display()))?;
    let device = Device::of(inside.path())?;
    let fleet = FleetSpec { files: options.files };
    make_directories(inside.path())?;
    fleet.make(inside.path())?;
    let mut report = Report::default();
    report.raw("machine", testbed::notes(inside.path(), &device)?);
    report.raw("parameters", json!(options));
    let asked = options.window_kib;
    let _restored = (asked > 0).then(|| Readahead::set(&device, asked)).transpose()?;
    let window_kib = Readahead::window_kib(&device)?;
    report.raw("window_kib", json!(window_kib));
    for way in WAYS.iter().filter(|way| options.parts.contains(&way.name)) {
        for &pages_a_file in &options.sizes {
            let task = Task {
                directory: inside.path().into(),
                fleet,
                method: way.method,
                advice: way.advice,
                cycles: options.warm_cycles + options.cycles,
                window_pages: (window_kib * 1024 / PAGE_BYTES) as u32,
            };
            interrupts.check()?;
            fleet.drop_cached(inside.path())?;
            let row = watched::run(&interrupts, &task, pages_a_file * u64::from(options.files))
                .and_then(|watched| row(way, &options, &task, pages_a_file, &watched));
            if let Some(row) = report.attempt(way.name, row) {
                report.row(row);
            }
        }
    }
    interrupts.check()?;
    report.print("capacity", options.json)
}

fn row(
    way: &Way,
    options: &Options,
    task: &Task,
    pages_a_file: u64,
    watched: &Watched,
) -> Result<Row, String> {
    let measured = |cycles: &[u64]| {
        let cycles = &cycles[options.warm_cycles as usize..];
        cycles.iter().sum::<u64>() as f64 / cycles.len() as f64 / f64::from(options.files)
    };
    // If the cache was never full, it could have held more than it did.
    let cache_pages = watched.cached_pages.max(pages_a_file * u64::from(options.files));
    let simulated = |pages| simulated::run(task, pages).map(|cycles| measured(&cycles));
    let (kernel, model) = (measured(&watched.pages_read), simulated(cache_pages)?);
    let hundredth = cache_pages / 100;
    let smaller = simulated(cache_pages - hundredth)?;
    let larger = simulated(cache_pages + hundredth)?;
    let deviation = (model - kernel) / kernel;
    let cached = watched.cached_pages as f64 / f64::from(options.files);
    let verdict = if deviation.abs() <= DEVIATION_MAX { "" } else { " (more than a tenth)" };
    let what = format!("{}, {pages_a_file} pages a file: read an update", way.name);
    let note = format!(
        "{cached:.2} pages a file cached; off by {:+.1}%{verdict}; simulated {smaller:.3} for a \
         hundredth less, {larger:.3} for a hundredth more",
        deviation * 1e2
    );
    Ok(Row::new(what, "pages", model).beside([("kernel", kernel)]).undirected().note(note))
}
