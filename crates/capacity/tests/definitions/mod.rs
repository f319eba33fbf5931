//! Layouts for tests.
#![allow(dead_code)] // each test uses some

use rrd::{Archive, ConsolidationFunction, DataSource, Definition, SourceKind};

/// A source that takes any reading.
pub(crate) fn source(nth: usize) -> DataSource {
    DataSource {
        name: format!("ds{nth}"),
        kind: SourceKind::Gauge,
        heartbeat_seconds: 1_000_000_000,
        minimum: f64::NAN,
        maximum: f64::NAN,
    }
}

/// Archives given as `(rows, PDPs a row)`.
pub(crate) fn definition(step_seconds: u64, sources: usize, archives: &[(u64, u64)]) -> Definition {
    let archive = |&(rows, pdps)| Archive::plain(ConsolidationFunction::Average, rows, pdps, 0.5);
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds,
        sources: (0..sources).map(source).collect(),
        archives: archives.iter().map(archive).collect(),
    }
}

/// The database that MRTG makes: 800 rows in each of eight archives, 105,312 bytes.
pub(crate) fn mrtg() -> Definition {
    mrtg_with_rows(800)
}

/// The same with another number of rows in the first archive.
pub(crate) fn mrtg_with_rows(rows: u64) -> Definition {
    let pdps = [1, 6, 24, 288, 1, 6, 24, 288];
    let rows_of = |nth| if nth == 0 { rows } else { 800 };
    let archives = pdps.iter().enumerate().map(|(nth, pdps)| (rows_of(nth), *pdps));
    definition(300, 2, &archives.collect::<Vec<_>>())
}
