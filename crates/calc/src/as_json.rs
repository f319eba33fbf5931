//! An answer as JSON. Unknown values are null; infinities, which JSON has not, are texts.

use graph::{RowColumn, RowFact, RowPrint, RowsTold};
use rrd::Tick;
use serde_json::{Value, json};

use crate::origin::Origin;
use crate::outcome::{Coarse, Outcome};
use crate::told::{span, time};

/// An answer as JSON.
#[must_use]
pub fn json(outcome: &Outcome) -> Value {
    let answer = &outcome.answer;
    let array = |values: Vec<Value>| Value::Array(values);
    let mut told = json!({
        "name": outcome.name,
        "prints": array(answer.prints.iter().map(print_json).collect()),
        "values": array(answer.facts.iter().map(|fact| fact_json(fact, &outcome.coarse)).collect()),
        "archives": array(outcome.origins.iter().map(origin_json).collect()),
    });
    if !answer.columns.is_empty() {
        told["columns"] = array(answer.columns.iter().map(column_json).collect());
    }
    if let Some(summed) = outcome.summed {
        told["summed"] = json!({ "databases": summed.databases, "unknown_values": summed.unknown });
    }
    told
}

fn number(value: f64) -> Value {
    match value {
        value if value.is_nan() => Value::Null,
        value if value.is_infinite() => Value::String(value.to_string()),
        value => json!(value),
    }
}

/// A length of time in seconds: an integer where it is whole.
fn span_json(tick: Tick, ticks: u64) -> Value {
    match ticks % u64::from(tick.per_second()) {
        0 => json!(ticks / u64::from(tick.per_second())),
        _ => json!(span(tick, ticks)),
    }
}

fn rows_json(rows: &RowsTold) -> Value {
    json!({
        "of": rows.of,
        "archives": rows.requests,
        "row_seconds": span_json(rows.tick, rows.row_seconds),
        "from": time(rows.tick, rows.start_seconds),
        "to": time(rows.tick, rows.end_seconds),
        "count": rows.count,
        "unknown": rows.unknown,
    })
}

fn print_json(print: &RowPrint) -> Value {
    json!({
        "of": print.of,
        "text": print.text,
        "value": number(print.value),
        "rows": rows_json(&print.rows),
    })
}

fn fact_json(fact: &RowFact, coarse: &[Coarse]) -> Value {
    let mut told = json!({
        "name": fact.name,
        "value": number(fact.value),
        "time": fact.when_seconds.map(|at| time(fact.rows.tick, at)),
        "rows": rows_json(&fact.rows),
    });
    if let Some(percent) = fact.percent {
        told["percent"] = number(percent);
        let coarse = coarse.iter().find(|coarse| coarse.name == fact.name);
        told["is_exact"] = coarse.is_none().into();
        if let Some(bounds) = coarse.and_then(|coarse| coarse.bounds) {
            told["least"] = number(bounds.least);
            told["greatest"] = number(bounds.greatest);
        }
    }
    told
}

fn origin_json(origin: &Origin) -> Value {
    json!({
        "database": origin.database,
        "function": origin.function.to_string(),
        "row_seconds": span_json(origin.tick, origin.row_seconds),
        "step_seconds": span_json(origin.tick, origin.step_seconds),
        "from": time(origin.tick, origin.start_seconds),
        "to": time(origin.tick, origin.end_seconds),
    })
}

fn column_json(column: &RowColumn) -> Value {
    json!({
        "name": column.name,
        "legend": column.legend,
        "archives": column.requests,
        "row_seconds": span_json(column.tick, column.row_seconds),
        "from": time(column.tick, column.start_seconds),
        "to": time(column.tick, column.end_seconds()),
        "count": column.values.len(),
        "unknown": column.unknown(),
        "values": column.values.iter().map(|value| number(*value)).collect::<Vec<_>>(),
    })
}
