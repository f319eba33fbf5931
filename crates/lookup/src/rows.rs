//! The rows of picked series.

use std::ops::ControlFlow;
use std::path::PathBuf;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch, Tick};
use series::{Rows, Span, Unanswered, Window};
use store::Wanted;

use crate::limits::Limits;
use crate::picks::{Pick, Picker};

const MICROS_PER_SECOND: u32 = 1_000_000;

/// One read of a database, for all of its picked series with the same consolidation function.
struct Read {
    database: u32,
    cf: ConsolidationFunction,
    /// The positions of the picks.
    picks: Vec<usize>,
}

/// The rows of each pick, in order. A database that is gone by now has none.
pub(crate) fn of_picks(
    picker: &Picker<'_>,
    picks: &[Pick],
    window: &Window,
    limits: &Limits,
) -> Result<Vec<Rows>, Unanswered> {
    let reads = reads(picks, window);
    let query = |cf| -> Query {
        Query {
            cf,
            tick: Tick::of_per_second(MICROS_PER_SECOND).unwrap_or_default(),
            start_seconds: window.span.start_micros,
            end_seconds: window.span.end_micros,
            step_seconds: window.step_micros.max(0) as u64,
        }
    };
    let names = &picker.index.names;
    let paths = reads.iter().map(|read| picker.store.path(names.get(read.database as usize)));
    let paths: Vec<PathBuf> = paths.collect();
    let wanted = reads.iter().zip(&paths);
    let wanted = wanted.map(|(read, path)| Wanted { name: path, query: query(read.cf) });
    let wanted: Vec<_> = wanted.collect();
    let mut all = vec![Rows::default(); picks.len()];
    let (mut values, mut failure) = (0, None);
    let mut take = |position: usize, answer: Result<Stretch, store::Error>| {
        let read: &Read = &reads[position];
        match answer {
            Ok(stretch) => {
                for &pick in &read.picks {
                    all[pick] = column(&stretch, source(&picks[pick]), window.span);
                    values += all[pick].values.len();
                }
                failure = limits.check_values(values).err();
            }
            // It was deleted after it was found.
            Err(error) if error.is_missing() => (),
            Err(error) => {
                let series = names.get(read.database as usize).to_owned();
                failure = Some(Unanswered::Unreadable { series, source: Box::new(error) });
            }
        }
        if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let done = picker.store.store().fetch_many(&wanted, &mut take);
    match (failure, done) {
        (Some(failure), _) => Err(failure),
        (None, Err(error)) => Err(Unanswered::Store(Box::new(error))),
        (None, Ok(())) => Ok(all),
    }
}

fn source(pick: &Pick) -> &str {
    &pick.numbered.layout.columns[pick.column].source
}

fn reads(picks: &[Pick], window: &Window) -> Vec<Read> {
    let mut reads: Vec<Read> = Vec::new();
    for (position, pick) in picks.iter().enumerate() {
        let layout = &pick.numbered.layout;
        let cf = layout.function(&layout.columns[pick.column], window.preferred);
        // The picks of a database stand side by side, and its functions are few.
        let mut latest = reads.iter_mut().rev().take_while(|read| read.database == pick.database);
        match latest.find(|read| read.cf == cf) {
            Some(read) => read.picks.push(position),
            None => reads.push(Read { database: pick.database, cf, picks: vec![position] }),
        }
    }
    reads
}

/// The values of a data source whose steps end in a span.
fn column(stretch: &Stretch, source: &str, span: Span) -> Rows {
    let columns = stretch.source_names.len();
    let Some(column) = stretch.source_names.iter().position(|name| name == source) else {
        return Rows::default();
    };
    let micros = i64::from(MICROS_PER_SECOND / stretch.tick.per_second());
    let step_micros = stretch.step_seconds as i64 * micros;
    let start_micros = stretch.start_seconds * micros + stretch.rows_before as i64 * step_micros;
    let held = (stretch.held.len() / columns) as i64;
    // Rows whose steps end after the span's start, and not after its end.
    let first = (span.start_micros - start_micros).div_euclid(step_micros).clamp(0, held);
    let behind = (span.end_micros - start_micros).div_euclid(step_micros).clamp(first, held);
    let rows = stretch.held.chunks_exact(columns);
    let rows = rows.take(behind as usize).skip(first as usize);
    Rows {
        start_micros: start_micros + first * step_micros,
        step_micros,
        values: rows.map(|row| row[column]).collect(),
    }
}
