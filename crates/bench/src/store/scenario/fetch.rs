//! Fetches of a day, cold and hot.

use testbed::Caches;

use super::{Bench, Day, random_rrds};
use crate::figures::{median, percentile};
use crate::report::{Report, Row};

/// The table's rows for fetches.
pub(crate) fn fetches(bench: &Bench<'_>, day: &mut Day, report: &mut Report) -> Result<(), String> {
    let rrds = random_rrds(bench.options.fetches, day.spec.rrds);
    let mut cold_seconds = Vec::new();
    for rrd in &rrds {
        bench.options.caches.drop(&day.spec.directory)?;
        cold_seconds.extend(day.worker.fetch(&[*rrd], day.next_cycle)?.0);
    }
    // Once to make them resident, once more to measure.
    day.worker.fetch(&rrds, day.next_cycle)?;
    let hot_seconds = day.worker.fetch(&rrds, day.next_cycle)?.0;
    let [cold, hot] = [(cold_seconds, 1e3), (hot_seconds, 1e6)]
        .map(|(seconds, scale)| [median(&seconds) * scale, percentile(&seconds, 99) * scale]);
    let cold_row = Row::new("fetch of a day, cold, median", "ms", cold[0])
        .at_most(3.0)
        .beside(bench.peers.figures(|peer| Some(peer.fetch_cold_seconds? * 1e3)))
        .note(format!("99%: {:.3} ms, of {}", cold[1], rrds.len()));
    report.row(match bench.options.caches {
        Caches::Drop => cold_row,
        Caches::Keep => cold_row.note("the caches were not dropped: nothing was cold"),
    });
    report.row(
        Row::new("fetch of a day, hot, median", "us", hot[0])
            .at_most(100.0)
            .beside(bench.peers.figures(|peer| Some(peer.fetch_hot_seconds? * 1e6)))
            .note(format!("99%: {:.1} us", hot[1])),
    );
    Ok(())
}
