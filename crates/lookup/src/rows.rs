//! The rows of picked series.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch, Tick};
use series::{Rows, Selected, Span, Unanswered, Window};
use store::Wanted;

use crate::limits::Limits;
use crate::picks::{Pick, Picker};
use crate::threads::{on_each, pieces};

const MICROS_PER_SECOND: u32 = 1_000_000;
/// So many series are read by one thread.
const SERIES_AT_LEAST: usize = 256;
/// So many series are asked of the store together: their rows and labels stay in the processor's
/// cache until they are taken.
const SERIES_AT_ONCE: usize = 4096;

/// One read of a database, for all of its picked series with the same consolidation function.
struct Read<'i> {
    path: Cow<'i, Path>,
    cf: ConsolidationFunction,
    database: u32,
    /// The position of its first pick.
    first: usize,
    /// The positions of others.
    others: Vec<usize>,
}

/// A question for the rows of picks.
pub(crate) struct Reading<'q> {
    pub(crate) picker: &'q Picker<'q>,
    pub(crate) window: &'q Window,
    pub(crate) limits: &'q Limits,
}

impl Reading<'_> {
    /// Each pick with its rows, in order. A database that is gone by now has none. Those of a
    /// database stand side by side.
    pub(crate) fn of_picks(&self, picks: &[Pick]) -> Result<Vec<Selected>, Unanswered> {
        let values = AtomicUsize::new(0);
        let shares = on_each(pieces(picks.len(), SERIES_AT_LEAST), |piece| {
            let share = &picks[whole_databases(picks, piece)];
            let mut selected = Vec::with_capacity(share.len());
            let mut rest = share;
            while !rest.is_empty() {
                let some = &rest[whole_databases(rest, 0..rest.len().min(SERIES_AT_ONCE))];
                self.read(some, &values, &mut selected)?;
                rest = &rest[some.len()..];
            }
            Ok::<_, Unanswered>(selected)
        });
        let mut all = Vec::with_capacity(picks.len());
        for share in shares {
            match all.is_empty() {
                true => all = share?,
                false => all.extend(share?),
            }
        }
        Ok(all)
    }

    fn read(
        &self,
        picks: &[Pick],
        values: &AtomicUsize,
        selected: &mut Vec<Selected>,
    ) -> Result<(), Unanswered> {
        let Self { picker, window, limits } = *self;
        let reads = self.reads(picks);
        let wanted = reads.iter().map(|it| Wanted { name: &it.path, query: query(window, it.cf) });
        let wanted: Vec<_> = wanted.collect();
        let begin = selected.len();
        selected.extend(picks.iter().map(|&pick| Selected {
            labels: picker.labels(pick),
            kind: picker.column(pick).kind,
            rows: Rows::default(),
        }));
        let all = &mut selected[begin..];
        let mut failure = None;
        let mut take = |position: usize, answer: Result<Stretch, store::Error>| {
            let read = &reads[position];
            match answer {
                Ok(stretch) => {
                    let source = |nth: usize| picker.column(picks[nth]).source.as_str();
                    let mut count = 0;
                    for &nth in &read.others {
                        all[nth].rows = column(&stretch, source(nth), window.span);
                        count += all[nth].rows.values.len();
                    }
                    let first = only_column(stretch, source(read.first), window.span);
                    count += first.values.len();
                    all[read.first].rows = first;
                    let before = values.fetch_add(count, Ordering::Relaxed);
                    failure = limits.check_values(before + count).err();
                }
                // It was deleted after it was found.
                Err(error) if error.is_missing() => (),
                Err(error) => {
                    let series = picker.index.names.get(read.database as usize).to_owned();
                    failure = Some(Unanswered::Unreadable { series, source: Box::new(error) });
                }
            }
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let done = picker.store.store().fetch_many(&wanted, &mut take);
        match (failure, done) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(Unanswered::Store(Box::new(error))),
            (None, Ok(())) => Ok(()),
        }
    }

    fn reads(&self, picks: &[Pick]) -> Vec<Read<'_>> {
        let Self { picker, window, .. } = self;
        let mut reads: Vec<Read<'_>> = Vec::with_capacity(picks.len());
        for (position, &pick) in picks.iter().enumerate() {
            let cf = picker.layout(pick).function(picker.column(pick), window.preferred);
            // The picks of a database stand side by side, and its functions are few.
            let mut latest = reads.iter_mut().rev().take_while(|it| it.database == pick.database);
            match latest.find(|read| read.cf == cf) {
                Some(read) => read.others.push(position),
                None => {
                    let database = pick.database;
                    let path = picker.store.place(picker.index.names.get(database as usize));
                    reads.push(Read { path, cf, database, first: position, others: Vec::new() });
                }
            }
        }
        reads
    }
}

fn query(window: &Window, cf: ConsolidationFunction) -> Query {
    Query {
        cf,
        tick: Tick::of_per_second(MICROS_PER_SECOND).unwrap_or_default(),
        start_seconds: window.span.start_micros,
        end_seconds: window.span.end_micros,
        step_seconds: window.step_micros.max(0) as u64,
    }
}

/// The same stretch of picks, both ends moved on to where another database begins.
fn whole_databases(picks: &[Pick], piece: Range<usize>) -> Range<usize> {
    let moved = |mut at: usize| {
        while at > 0 && at < picks.len() && picks[at].database == picks[at - 1].database {
            at += 1;
        }
        at
    };
    moved(piece.start)..moved(piece.end)
}

/// Which rows of a stretch are those of a span.
struct Part {
    column: usize,
    columns: usize,
    first: usize,
    behind: usize,
    start_micros: i64,
    step_micros: i64,
}

/// The values of a data source whose steps end in a span; `None` if it is gone by now.
fn part(stretch: &Stretch, source: &str, span: Span) -> Option<Part> {
    let columns = stretch.source_names.len();
    let column = stretch.source_names.iter().position(|name| name == source)?;
    let micros = i64::from(MICROS_PER_SECOND / stretch.tick.per_second());
    let step_micros = stretch.step_seconds as i64 * micros;
    let start_micros = stretch.start_seconds * micros + stretch.rows_before as i64 * step_micros;
    let held = (stretch.held.len() / columns) as i64;
    // Rows whose steps end after the span's start, and not after its end.
    let first = (span.start_micros - start_micros).div_euclid(step_micros).clamp(0, held);
    let behind = (span.end_micros - start_micros).div_euclid(step_micros).clamp(first, held);
    let start_micros = start_micros + first * step_micros;
    let (first, behind) = (first as usize, behind as usize);
    Some(Part { column, columns, first, behind, start_micros, step_micros })
}

fn column(stretch: &Stretch, source: &str, span: Span) -> Rows {
    let Some(part) = part(stretch, source, span) else { return Rows::default() };
    let rows = stretch.held[part.first * part.columns..part.behind * part.columns]
        .chunks_exact(part.columns);
    Rows {
        start_micros: part.start_micros,
        step_micros: part.step_micros,
        values: rows.map(|row| row[part.column]).collect(),
    }
}

/// The same; the values of a database with a single data source are not copied.
fn only_column(mut stretch: Stretch, source: &str, span: Span) -> Rows {
    match part(&stretch, source, span) {
        Some(Part { columns: 1, first, behind, start_micros, step_micros, .. }) => {
            let mut values = std::mem::take(&mut stretch.held);
            values.truncate(behind);
            values.drain(..first);
            Rows { start_micros, step_micros, values }
        }
        _ => column(&stretch, source, span),
    }
}
