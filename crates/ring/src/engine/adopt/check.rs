//! What no database can be like, whatever file or client describes it.

use rrd::{Definition, ForecastState, RowSoFar, SeasonalRing};

use livestate::seasons::seasonal_archives;
use store::Adoptee;
use store::Error;

/// Longest span of time that a database may speak of, in seconds: beyond it, sums would overflow.
const SPAN_SECONDS_MAX: u64 = 1 << 60;

/// Refuses what would make arithmetic fail later.
///
/// # Errors
/// [`Error::Unfit`].
pub(super) fn check(adoptee: &Adoptee) -> Result<(), Error> {
    let reason = fault(adoptee);
    let unfit =
        |reason: &'static str| Error::Unfit { name: adoptee.name.clone(), reason: reason.into() };
    reason.map_or(Ok(()), |reason| Err(unfit(reason)))
}

/// Whether arithmetic holds for a database.
pub(in crate::engine) fn fits(adoptee: &Adoptee) -> bool {
    fault(adoptee).is_none()
}

fn fault(adoptee: &Adoptee) -> Option<&'static str> {
    let snapshot = &adoptee.snapshot;
    let (definition, live) = (&snapshot.definition, &snapshot.live);
    if let Some(fault) = fault_of_definition(definition) {
        return Some(fault);
    }
    let last = live.last_update;
    if !(0..SPAN_SECONDS_MAX as i64).contains(&last.seconds) || last.micros >= 1_000_000 {
        return Some("its last update is at no moment from 1970 on");
    }
    let (sources, archives) = (definition.sources.len(), definition.archives.len());
    if live.sources.len() != sources || live.cells.len() != sources * archives {
        return Some("its live state is of another definition");
    }
    if !forecast_fits(definition, &live.forecast) {
        return Some("what it forecasts from is of another definition");
    }
    if !rows_so_far_fit(definition, &live.rows_so_far) {
        return Some("what it keeps of its rows in the making is of another definition");
    }
    let values = definition.archives.iter().map(|archive| archive.rows.checked_mul(sources as u64));
    let fits = snapshot.rows.len() == archives
        && snapshot.rows.iter().zip(values).all(|(rows, values)| Some(rows.len() as u64) == values);
    (!fits).then_some("its rows are of another definition")
}

/// Whether the state of forecasts is of this definition; its rings may be left out.
fn forecast_fits(definition: &Definition, forecast: &ForecastState) -> bool {
    let sources = definition.sources.len();
    let cells = if definition.has_forecasts() { sources * definition.archives.len() } else { 0 };
    let ring_fits = |(ring, archive): (&SeasonalRing, usize)| {
        let rows = definition.archives[archive].rows;
        ring.archive == archive
            && ring.newest_slot < rows
            && ring.values.len() as u64 == rows * sources as u64
    };
    let archives: Vec<usize> = seasonal_archives(definition).collect();
    let rings = &forecast.rings;
    forecast.words.len() == cells
        && (rings.is_empty() || rings.len() == archives.len())
        && rings.iter().zip(archives).all(ring_fits)
}

/// Whether what is kept of rows in the making is of this definition.
fn rows_so_far_fit(definition: &Definition, rows: &[RowSoFar]) -> bool {
    let sources = definition.sources.len();
    let mut of_archives = definition.archives.iter().zip(rows.chunks(sources));
    match definition.has_spreads() {
        false => rows.is_empty(),
        true => {
            rows.len() == sources * definition.archives.len()
                && of_archives.all(|(archive, rows)| rows.iter().all(|row| row.is_of(archive)))
        }
    }
}

fn fault_of_definition(definition: &Definition) -> Option<&'static str> {
    let Definition { tick: _, step_seconds, sources, archives } = definition;
    if sources.is_empty() || archives.is_empty() {
        return Some("it has no data source or no archive");
    }
    let fits = archives.iter().all(|archive| {
        let row_seconds = step_seconds.checked_mul(archive.pdp_per_row);
        let span = row_seconds.and_then(|seconds| seconds.checked_mul(archive.rows));
        span.is_some_and(|span| (1..SPAN_SECONDS_MAX).contains(&span))
    });
    let takes = archives.iter().all(|archive| archive.cf.takes(archive.pdp_per_row));
    (!fits || !takes).then_some("its step, or an archive, is of no length that can be")
}
