//! A database's definition and state as JSON.

use rrd::live::SourceState;
use rrd::{Archive, DataSource, Definition, SourceKind};
use rrdfile::Header;
use serde_json::{Number, Value, json};

/// The definition and state.
pub(super) fn about(name: &str, header: &Header) -> Value {
    let Header { definition, live, version, .. } = header;
    let states = definition.sources.iter().zip(&live.sources);
    let sources: Vec<_> =
        states.map(|(source, state)| about_source(definition, source, state)).collect();
    let archives: Vec<_> =
        definition.archives.iter().map(|archive| about_archive(definition, archive)).collect();
    json!({
        "database": name,
        "version": version.to_string(),
        "step_seconds": definition.tick.told_span(definition.step_seconds),
        "tick_seconds": definition.tick.told(1),
        "last_update_seconds": definition.tick.told(live.last_update.seconds),
        "sources": sources,
        "archives": archives,
    })
}

fn about_source(definition: &Definition, source: &DataSource, state: &SourceState) -> Value {
    let names: Vec<&str> = definition.sources.iter().map(|source| source.name.as_str()).collect();
    let expression = match &source.kind {
        SourceKind::Compute(expression) => Some(expression.text(&names)),
        _ => None,
    };
    json!({
        "name": source.name,
        "type": source.kind.name(),
        "heartbeat_seconds": definition.tick.told_span(source.heartbeat_seconds),
        "minimum": number(source.minimum),
        "maximum": number(source.maximum),
        "expression": expression,
        "last_reading": String::from_utf8_lossy(&state.last_reading.text()),
    })
}

fn about_archive(definition: &Definition, archive: &Archive) -> Value {
    json!({
        "cf": archive.cf.name(),
        "xff": archive.xff,
        "steps_per_row": archive.pdp_per_row,
        "rows": archive.rows,
        "row_seconds": definition.tick.told_span(archive.row_seconds(definition.step_seconds)),
    })
}

/// A value; JSON has no number for unknown and infinite ones, which are null.
pub(super) fn number(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
