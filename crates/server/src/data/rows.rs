//! Rows of a database as JSON.

use std::io::Write as _;
use std::path::Path;
use std::str::FromStr as _;

use rrd::fetch::{self, Query};
use rrd::{ConsolidationFunction, Stretch, Tick};
use serde::Deserialize;
use serde_json::{Value, json};

use super::about::number;
use super::context::DataContext;
use super::problem::Problem;
use super::stretch::append_rows;
use crate::span::Span;

/// The most values in an answer.
const VALUES_MAX: u64 = 2_000_000;
/// The longest step that is asked for.
const STEP_SECONDS_MAX: u64 = 1_000_000_000;
/// How many steps the newest known value may be old.
const STEPS_BACK: i64 = 4;

/// What is asked about rows.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    pub(super) cf: Option<String>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) step: Option<u64>,
}

/// The rows, and which archive they are from.
pub(super) fn rows(context: &DataContext, name: &str, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let path = context.path(name)?;
    let Span { start_seconds, end_seconds } =
        context.period(asked.start.as_deref(), asked.end.as_deref())?;
    let outline = context.store.store().outline(&path)?;
    let cf = match asked.cf.as_deref().filter(|cf| !cf.is_empty()) {
        Some(cf) => function(cf)?,
        None => {
            outline.definition.archives.first().map_or(ConsolidationFunction::Average, |it| it.cf)
        }
    };
    let step_seconds = asked.step.unwrap_or(0);
    if step_seconds > STEP_SECONDS_MAX {
        let why = format!("expected at most {STEP_SECONDS_MAX} seconds, found {step_seconds}");
        return Err(Problem::wrong("step", why));
    }
    let query = Query { cf, tick: Tick::SECOND, start_seconds, end_seconds, step_seconds };
    let last = outline.last_update.seconds;
    let window = fetch::window_of_any_length(&outline.definition, last, &query)
        .map_err(|error| Problem::wrong("rows", error))?;
    let archive = &outline.definition.archives[window.archive];
    let values = window.rows.min(archive.rows) * outline.definition.sources.len() as u64;
    if values > VALUES_MAX {
        let why = format!("expected at most {VALUES_MAX} values, and it would be {values}");
        return Err(Problem::wrong("rows", why));
    }
    let stretch = context.store.store().fetch_stretch(&path, &query)?;
    let tick = outline.definition.tick;
    let facts = json!({
        "database": name,
        "cf": cf.name(),
        "start_seconds": tick.told(stretch.start_seconds),
        "end_seconds": tick.told(stretch.end_seconds),
        "step_seconds": tick.told_span(stretch.step_seconds),
        "archive": { "position": window.archive, "cf": archive.cf.name(), "rows": archive.rows },
        "sources": stretch.source_names,
    });
    Ok(with_rows(&facts, &stretch))
}

/// An object with the rows as its last member.
fn with_rows(facts: &Value, stretch: &Stretch) -> Vec<u8> {
    let mut out = facts.to_string().into_bytes();
    out.pop();
    out.extend(b",\"rows\":");
    append_rows(&mut out, stretch);
    let _ = out.write_all(b"}\n"); // a Vec takes everything
    out
}

/// The consolidation function of a name.
pub(super) fn function(name: &str) -> Result<ConsolidationFunction, Problem> {
    ConsolidationFunction::from_str(&name.to_ascii_uppercase()).map_err(|()| {
        Problem::wrong("cf", format!("expected a consolidation function, found {name}"))
    })
}

/// The newest known value of each data source, at most a few steps old.
pub(super) fn last(context: &DataContext, name: &str) -> Result<Value, Problem> {
    let path = context.path(name)?;
    let outline = context.store.store().outline(&path)?;
    let (tick, step) = (outline.definition.tick, outline.definition.step_seconds as i64);
    let end_seconds = outline.last_update.seconds;
    let cf = outline.definition.archives.first().map_or(ConsolidationFunction::Average, |it| it.cf);
    let start_seconds = end_seconds - STEPS_BACK * step;
    let query = Query { cf, tick, start_seconds, end_seconds, step_seconds: step as u64 };
    let values = newest(&context.store.store().fetch_stretch(&path, &query)?);
    let sources = outline.definition.sources.iter().zip(values);
    let sources: serde_json::Map<_, _> =
        sources.map(|(source, value)| (source.name.clone(), number(value))).collect();
    Ok(json!({
        "database": name,
        "last_update_seconds": tick.told(end_seconds),
        "values": sources,
    }))
}

fn newest(stretch: &Stretch) -> Vec<f64> {
    let columns = stretch.source_names.len();
    let mut newest = vec![f64::NAN; columns];
    for row in stretch.held.chunks_exact(columns.max(1)) {
        for (newest, value) in newest.iter_mut().zip(row) {
            if value.is_finite() {
                *newest = *value;
            }
        }
    }
    newest
}

/// The definition and state of a database.
pub(super) fn about(context: &DataContext, name: &str) -> Result<Value, Problem> {
    let path: &Path = &context.path(name)?;
    Ok(super::about::about(name, &context.store.store().header(path)?))
}
