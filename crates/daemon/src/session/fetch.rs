//! FETCH and FETCHBIN.

use std::time::{SystemTime, UNIX_EPOCH};

use rrd::Series;
use rrd::fetch::{Query, window};
use rrdcached::server::{FetchRequest, answer};

use super::ask::told;
use super::replies::TOO_MANY_LARGE;
use super::turn::Turn;
use super::{Stop, words};
use crate::limits::VALUES_MAX;
use crate::output::Output;
use crate::shelf::Failure;

const PREFIX: &str = "rrd_fetch_r failed: ";

/// FETCH and FETCHBIN.
pub(super) fn fetch(turn: &mut Turn<'_, '_, '_>, request: &FetchRequest<'_>) -> Result<(), Stop> {
    let mut share = turn.service.replies.share();
    let fetched = fetched(turn, request, &mut |size_bytes| share.hold_reply(size_bytes));
    match fetched {
        Err(words) => {
            turn.fail(&words);
            Ok(())
        }
        Ok(series) => {
            // Columns that were not asked for are gone.
            share.hold_reply(series.values.len() * size_of::<f64>());
            turn.out.begin_reply(&share);
            match request.is_binary {
                true => send_binary(&series, turn.out),
                false => send_text(&series, turn.out),
            }
        }
    }
}

/// The rows asked for; `reserve` is asked for room where they are many.
fn fetched(
    turn: &Turn<'_, '_, '_>,
    request: &FetchRequest<'_>,
    reserve: &mut dyn FnMut(usize) -> bool,
) -> Result<Series, Vec<u8>> {
    let spelled = turn.spelled(request.path);
    let in_words = |failure: &Failure| words::of_library(PREFIX, failure, &spelled);
    let Ok(path) = turn.service.paths.resolve(request.path) else {
        return Err(words::denied(&spelled));
    };
    let (start_seconds, end_seconds) =
        request.times(now_seconds()).map_err(|error| error.to_string().into_bytes())?;
    // The file comes before the function, as in rrdtool.
    let Some(cf) = std::str::from_utf8(request.cf).ok().and_then(|cf| cf.parse().ok()) else {
        let words = [b"unknown consolidation function '", request.cf, b"'"].concat();
        return Err([PREFIX.as_bytes(), &words].concat());
    };
    let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds: 1 };
    let shelf = &turn.service.shelf;
    let outline = shelf.outline(&path).map_err(|failure| in_words(&failure))?;
    let who = if request.is_binary { "FETCHBIN" } else { "FETCH" };
    let whole_seconds = outline.definition.tick.check_whole_seconds(who);
    whole_seconds.map_err(|error| in_words(&told(error)))?;
    let sources = outline.definition.sources.len() as u64;
    // The fetch tells what is wrong with the query.
    let window = window(&outline.definition, outline.last_update.seconds, &query);
    let values = window.map_or(0, |window| window.rows.saturating_mul(sources));
    check_size(values, reserve)?;
    let series = shelf.fetch(&path, &query).map_err(|failure| in_words(&failure))?;
    chosen(series, &request.columns, &spelled)
}

/// Refuses what would take too much memory, alone or with what others are being told.
fn check_size(values: u64, reserve: &mut dyn FnMut(usize) -> bool) -> Result<(), Vec<u8>> {
    if values > VALUES_MAX {
        let words = format!("{PREFIX}{values} values, {VALUES_MAX} are answered: ask for less");
        return Err(words.into_bytes());
    }
    let size_bytes = values as usize * size_of::<f64>();
    if !reserve(size_bytes) {
        return Err([PREFIX.as_bytes(), TOO_MANY_LARGE].concat());
    }
    Ok(())
}

/// The columns of some names; all where there are none.
fn chosen(series: Series, names: &[&[u8]], spelled: &[u8]) -> Result<Series, Vec<u8>> {
    if names.is_empty() {
        return Ok(series);
    }
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let found = series.source_names.iter().position(|known| known.as_bytes() == *name);
        match found {
            None => return Err([b"field ", *name, b" not found in ", spelled].concat()),
            Some(column) if columns.contains(&column) => {
                return Err([b"field ", *name, b" already used"].concat());
            }
            Some(column) => columns.push(column),
        }
    }
    let rows = series.values.chunks_exact(series.source_names.len().max(1));
    let values = rows.flat_map(|row| columns.iter().map(|column| row[*column])).collect();
    let source_names = columns.iter().map(|column| series.source_names[*column].clone()).collect();
    Ok(Series { source_names, values, ..series })
}

fn send_text(series: &Series, out: &mut Output<'_>) -> Result<(), Stop> {
    answer::fetched_text(out.buffer(), series);
    for (seconds, row) in series.iter() {
        answer::fetched_row(out.buffer(), seconds, row);
        out.send_if_much()?;
    }
    Ok(())
}

fn send_binary(series: &Series, out: &mut Output<'_>) -> Result<(), Stop> {
    answer::fetched_binary(out.buffer(), series);
    let columns = series.source_names.len().max(1);
    for (column, name) in series.source_names.iter().enumerate() {
        answer::fetched_column(out.buffer(), name, series.rows());
        for value in series.values.iter().skip(column).step_by(columns) {
            out.buffer().extend_from_slice(&value.to_le_bytes());
            out.send_if_much()?;
        }
        out.buffer().push(b'\n');
    }
    Ok(())
}

pub(super) fn now_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() as i64
}
