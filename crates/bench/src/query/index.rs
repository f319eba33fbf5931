//! The index by which series are found: its time, its memory, and questions while it is made anew.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use testbed::ProcessCounters;

use super::site::Site;
use crate::figures::median;
use crate::http::Connection;
use crate::report::{Report, Row};

/// The most time for an index, in seconds.
const SECONDS_MAX: f64 = 3.0;
/// The most memory for a database's name, labels, path and layout.
const BYTES_MAX: f64 = 160.0;
/// How many times as long as others a question may take while an index is made: both want the
/// processors.
const WAIT_MAX: f64 = 5.0;

/// Makes the first index.
pub(super) fn made(site: &Site, report: &mut Report) -> Result<(), String> {
    let before = anonymous_bytes()?;
    let begun = Instant::now();
    site.lookup.refresh().map_err(|error| error.to_string())?;
    let seconds = begun.elapsed().as_secs_f64();
    let databases = site.fleet.databases;
    let bytes = anonymous_bytes()?.saturating_sub(before) as f64 / databases as f64;
    let count = ::figures::count(databases);
    report.row(Row::new(format!("index of {count} databases"), "s", seconds).at_most(SECONDS_MAX));
    let what = format!("index of {count} databases, memory of each");
    report.row(Row::new(what, "B", bytes).at_most(BYTES_MAX));
    Ok(())
}

/// Asks while an index is made again and again.
pub(super) fn refreshed(
    site: &Site,
    path: &str,
    rounds: usize,
    report: &mut Report,
) -> Result<(), String> {
    let mut connection = Connection::to(site.address())?;
    let mut ask = || -> Result<f64, String> {
        let begun = Instant::now();
        connection.get(path)?;
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    };
    let alone: Vec<f64> = (0..rounds).map(|_| ask()).collect::<Result<_, _>>()?;
    let is_over = AtomicBool::new(false);
    let meanwhile: Vec<f64> = std::thread::scope(|scope| {
        let refreshing = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                site.lookup.refresh().map_err(|error| error.to_string())?;
            }
            Ok::<(), String>(())
        });
        let asked: Result<Vec<f64>, String> = (0..rounds * 4).map(|_| ask()).collect();
        is_over.store(true, Ordering::Relaxed);
        refreshing.join().expect("an index is made without a panic")?;
        asked
    })?;
    let what = "question while an index is made beside one alone";
    let ratio = median(&meanwhile) / median(&alone);
    let longest = meanwhile.iter().copied().fold(0.0, f64::max);
    report.row(Row::new(what, "", ratio).at_most(WAIT_MAX).note(format!(
        "{:.1} ms beside {:.1} ms; the longest {longest:.1} ms",
        median(&meanwhile),
        median(&alone)
    )));
    Ok(())
}

/// The anonymous memory of this program. What the allocator holds of freed memory is in it.
fn anonymous_bytes() -> Result<u64, String> {
    Ok(ProcessCounters::own()?.anonymous_bytes)
}
