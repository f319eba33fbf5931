//! Charts as comma-separated values: a line for each time, a column for each line of each chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::tz::TimeZone;

use super::chart::{Chart, ChartLine, Charts};

/// The text of an answer. Charts whose rows end at different times leave fields empty.
pub(super) fn csv(charts: &Charts, zone: &TimeZone) -> String {
    let columns: Vec<Column<'_>> = charts.charts.iter().flat_map(columns_of).collect();
    let mut out = String::from("seconds,time");
    for column in &columns {
        let _ = write!(out, ",{}", field(&column.heading));
    }
    out.push('\n');
    for (at, line) in lines(&charts.charts) {
        let _ = write!(out, "{},{}", line.end_seconds, figures::moment(at / 1_000_000, zone));
        for column in &columns {
            let row = line.rows.iter().find(|row| std::ptr::eq(row.chart, column.chart));
            let value = row.and_then(|row| column.values.get(row.nth));
            match value.filter(|value| value.is_finite()) {
                Some(value) => _ = write!(out, ",{value:?}"),
                None => out.push(','),
            }
        }
        out.push('\n');
    }
    out
}

struct Column<'c> {
    chart: &'c Chart,
    heading: String,
    values: &'c [f64],
}

fn columns_of(chart: &Chart) -> Vec<Column<'_>> {
    let of = |line: &ChartLine, what: &str| {
        let unit = match &*line.facts.unit {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        format!("{} {}{unit} {what}", chart.subject.name, line.facts.label)
    };
    let columns = chart.lines.iter().flat_map(|line| {
        let columns = [
            ("average", Some(&line.average)),
            ("minimum", line.minimum.as_ref()),
            ("maximum", line.maximum_rows.as_ref()),
            ("earlier", line.ghost.as_ref()),
        ];
        columns
            .map(|(what, values)| Some(Column { chart, heading: of(line, what), values: values? }))
    });
    columns.flatten().collect()
}

/// A line of the table.
struct Line<'c> {
    end_seconds: f64,
    rows: Vec<Row<'c>>,
}

/// A row of one of the charts.
struct Row<'c> {
    chart: &'c Chart,
    nth: usize,
}

/// The lines by their time in microseconds.
fn lines(charts: &[Chart]) -> BTreeMap<i64, Line<'_>> {
    let mut lines = BTreeMap::new();
    for chart in charts {
        for nth in 0..chart.rows() {
            let end_seconds = chart.end_seconds(nth);
            let line = lines.entry((end_seconds * 1e6).round() as i64);
            let line = line.or_insert_with(|| Line { end_seconds, rows: Vec::new() });
            line.rows.push(Row { chart, nth });
        }
    }
    lines
}

/// A field in quotes. Programs that calculate would take one that begins as a formula for one.
fn field(text: &str) -> String {
    let mark = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}
