//! `gyre export --format`: the rows of databases as tables for other programs.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use calc::{Manifest, PartError, Parts, micros};
use figures::duration;
use rrd::{ConsolidationFunction, Definition, Snapshot, Tick};
use rrdtool::{Failure, Session};
use serde_json::json;
use store::Error;
use tables::{Format, Rows};

use super::arguments::Wanted;
use super::source::{Reader, names_of};
use crate::moment::moment;
use crate::on_every_core::on_every_core;

/// Which rows are exported.
struct Chosen {
    /// Rows end later than that.
    start_seconds: i64,
    /// Rows begin before that.
    end_seconds: i64,
    /// Of archives of this function; of all that have times if there is none.
    function: Option<ConsolidationFunction>,
}

/// Why a part was not written.
#[derive(Debug, thiserror::Error)]
enum Unwritten {
    #[error(transparent)]
    Part(#[from] PartError),
    #[error(transparent)]
    Store(#[from] Error),
}

/// What became of all parts.
#[derive(Default)]
struct Tally {
    rows: u64,
    problems: Vec<String>,
}

pub(super) fn run(session: &mut Session, wanted: &Wanted, format: Format) -> Result<(), Failure> {
    let start = Instant::now();
    let chosen = Chosen::read(session, wanted)?;
    let names = (!wanted.all).then_some(&wanted.names[..]);
    let names = names_of(session, &wanted.root, names)?;
    let reader = Reader::of(session, &wanted.root)?;
    let rows = json!({
        "function": wanted.function,
        "from": wanted.start.as_ref().map(|_| chosen.start_seconds),
        "to": wanted.end.as_ref().map(|_| chosen.end_seconds),
    });
    let databases_per_part = wanted.databases_per_part;
    let manifest = Manifest { format, databases_per_part, names, rows };
    let parts = Parts::begin(Path::new(&wanted.directory), manifest, wanted.goes_on);
    let parts = parts.map_err(Failure::of)?;
    let (written, tally) = write_all(&parts, &reader, &chosen);
    let Tally { rows, problems } = tally;
    let seconds = start.elapsed().as_secs_f64();
    let rate = rows as f64 / seconds.max(f64::MIN_POSITIVE);
    let told = format!(
        "{written} databases written, {rows} rows in {}, {rate:.0} rows a second\n",
        duration(seconds)
    );
    session.out.extend_from_slice(told.as_bytes());
    problems.iter().for_each(|problem| rrdtool::complain!("{problem}"));
    match problems.len() {
        0 => parts.finish().map_err(Failure::of),
        count => Err(Failure::misuse(format!("{count} not written"))),
    }
}

/// Writes the parts that are missing, on every core. The first full disk ends it.
fn write_all(parts: &Parts, reader: &Reader, chosen: &Chosen) -> (usize, Tally) {
    let tally = Mutex::new(Tally::default());
    let count = (0..parts.count()).map(|nth| parts.names(nth).len()).sum();
    let queue = on_every_core("export", count, |queue| {
        while let Some(nth) = queue.next().filter(|nth| *nth < parts.count()) {
            if parts.has(nth) {
                continue;
            }
            let mut own = Tally::default();
            let written = write_part(parts, nth, reader, chosen, &mut own);
            let mut all = tally.lock().unwrap_or_else(PoisonError::into_inner);
            all.problems.append(&mut own.problems);
            match written {
                Ok(()) => {
                    queue.did(parts.names(nth).len());
                    all.rows += own.rows;
                }
                Err(unwritten) => {
                    all.problems.push(unwritten.to_string());
                    queue.give_up();
                }
            }
        }
    });
    (queue.done(), tally.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn write_part(
    parts: &Parts,
    nth: usize,
    reader: &Reader,
    chosen: &Chosen,
    tally: &mut Tally,
) -> Result<(), Unwritten> {
    parts.write(nth, |put| {
        let mut done = Ok(());
        reader.read(parts.names(nth), &mut |name, whole| match whole {
            Ok(whole) if done.is_ok() => done = chosen.put(name, &whole, put, &mut tally.rows),
            Ok(_) => {}
            Err(error) if error.is_missing() => {} // it was deleted meanwhile
            Err(error) => {
                tally.problems.push(format!("{name}: {error}"));
                if done.is_ok() {
                    done = parts.leave_out(name);
                }
            }
        })?;
        Ok(done?)
    })
}

impl Chosen {
    fn read(session: &mut Session, wanted: &Wanted) -> Result<Self, Failure> {
        let start = moment(session, "--start", wanted.start.as_deref())?;
        let end = moment(session, "--end", wanted.end.as_deref())?;
        let (start_seconds, end_seconds) = (start.unwrap_or(i64::MIN), end.unwrap_or(i64::MAX));
        if start_seconds >= end_seconds {
            return Err(Failure::misuse(format!(
                "start ({start_seconds}) should be less than end ({end_seconds})"
            )));
        }
        let function = wanted
            .function
            .as_deref()
            .map(|name| name.parse().map_err(|()| Failure::unknown_cf(name)));
        Ok(Self { start_seconds, end_seconds, function: function.transpose()? })
    }

    /// Puts the chosen rows of a database, archive after archive.
    fn put(
        &self,
        name: &str,
        whole: &Snapshot,
        put: &mut dyn FnMut(&Rows<'_>) -> Result<(), PartError>,
        rows_put: &mut u64,
    ) -> Result<(), PartError> {
        let Definition { tick, ref sources, .. } = whole.definition;
        let [start_seconds, end_seconds] = [self.start_seconds, self.end_seconds]
            .map(|seconds| Tick::SECOND.to_floor(seconds, tick));
        for (nth, archive) in whole.definition.archives.iter().enumerate() {
            // The rows of a season have no times.
            let is_chosen = self.function.map_or(!archive.cf.is_seasonal(), |it| it == archive.cf);
            let values = &whole.rows[nth];
            let count = values.len() / sources.len().max(1);
            if !is_chosen || count == 0 {
                continue;
            }
            let step = archive.row_seconds(whole.definition.step_seconds) as i64;
            let newest_seconds = whole.newest_row_seconds(nth);
            let end_of = |row: usize| newest_seconds - (count - 1 - row) as i64 * step;
            let rows = (0..count)
                .skip_while(|row| end_of(*row) <= start_seconds)
                .take_while(|row| end_of(*row) - step < end_seconds);
            let rows: Vec<usize> = rows.collect();
            let Some(first) = rows.first() else { continue };
            let function = archive.cf.to_string();
            for (column, source) in sources.iter().enumerate() {
                let value = |row: &usize| values[row * sources.len() + column];
                let values: Vec<f64> = rows.iter().map(value).collect();
                *rows_put += values.len() as u64;
                put(&Rows {
                    name,
                    source: &source.name,
                    function: &function,
                    row_micros: micros(tick, step).unsigned_abs(),
                    first_end_micros: micros(tick, end_of(*first)),
                    values: &values,
                })?;
            }
        }
        Ok(())
    }
}
