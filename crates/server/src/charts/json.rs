//! Charts as JSON, written without a tree of values between.

use std::io::Write as _;

use serde_json::json;

use super::chart::{Chart, ChartLine, Charts};

/// The text of an answer.
pub(super) fn json(charts: &Charts) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 16);
    let Charts { span, now_seconds, charts } = charts;
    let (start, end) = (span.start_seconds, span.end_seconds);
    let _ = write!(out, "{{\"start\":{start},\"end\":{end},\"now\":{now_seconds},\"charts\":[");
    for (nth, chart) in charts.iter().enumerate() {
        out.extend(if nth == 0 { &b""[..] } else { b"," });
        append_chart(&mut out, chart);
    }
    out.extend(b"]}\n");
    out
}

fn append_chart(out: &mut Vec<u8>, chart: &Chart) {
    let subject = &chart.subject;
    let facts = json!({
        "name": subject.name,
        "title": subject.title,
        "page": subject.page,
        "device": subject.device,
        "problem": chart.problem,
        "archive": chart.archive,
    });
    append_open(out, &facts);
    let (step, first) = (chart.step_seconds, chart.first_seconds);
    let _ = write!(out, ",\"step_seconds\":{step},\"first\":{first},\"lines\":[");
    for (nth, line) in chart.lines.iter().enumerate() {
        out.extend(if nth == 0 { &b""[..] } else { b"," });
        append_line(out, line);
    }
    out.extend(b"]}");
}

fn append_line(out: &mut Vec<u8>, line: &ChartLine) {
    let facts = &line.facts;
    let limits = facts.limits.iter().map(|limit| json!({ "at": limit.at, "words": limit.words }));
    let facts = json!({
        "source": facts.source,
        "label": facts.label,
        "legend": facts.legend,
        "unit": facts.unit,
        "kilo": facts.kilo,
        "maximum": facts.maximum,
        "limits": limits.collect::<Vec<_>>(),
        "percentile_95": line.percentile_95,
        "last": line.last,
    });
    append_open(out, &facts);
    for (name, column) in [
        ("average", Some(&line.average)),
        ("minimum", line.minimum.as_ref()),
        ("maximum_rows", line.maximum_rows.as_ref()),
        ("ghost", line.ghost.as_ref()),
    ] {
        let _ = write!(out, ",\"{name}\":");
        append_column(out, column);
    }
    out.push(b'}');
}

/// An object whose end is left open, for more members.
fn append_open(out: &mut Vec<u8>, object: &serde_json::Value) {
    let _ = write!(out, "{object}"); // a Vec takes everything
    out.pop();
}

fn append_column(out: &mut Vec<u8>, column: Option<&Vec<f64>>) {
    let Some(column) = column else {
        out.extend(b"null");
        return;
    };
    out.push(b'[');
    for (nth, value) in column.iter().enumerate() {
        out.extend(if nth == 0 { &b""[..] } else { b"," });
        match value.is_finite() {
            true => {
                let _ = write!(out, "{value:?}");
            }
            false => out.extend(b"null"),
        }
    }
    out.push(b']');
}
