//! Answers as JSON, as Prometheus writes it.

use serde::Serialize;
use series::Labels;

use super::BuildInfo;
use super::answers::{Found, Series};
use crate::axis::Axis;
use crate::number::{write_time, write_value};
use crate::vector::{Vector, is_absent};

/// The answer to a query.
pub(super) fn query_answer(found: &Found, infos: &[String]) -> Vec<u8> {
    let mut out = b"{\"status\":\"success\",\"data\":{\"resultType\":".to_vec();
    let mut head = |kind: &str| out.extend_from_slice(kind.as_bytes());
    match found {
        Found::Scalar { time_micros, value } => {
            head("\"scalar\",\"result\":");
            write_sample(&mut out, *time_micros, *value);
        }
        Found::Text { time_micros, text } => {
            head("\"string\",\"result\":[");
            write_time(&mut out, *time_micros);
            out.push(b',');
            write_json(&mut out, text);
            out.push(b']');
        }
        Found::Vector { time_micros, vector } => {
            head("\"vector\",\"result\":");
            write_vector(&mut out, *time_micros, vector);
        }
        Found::Matrix { axis, vector } => {
            head("\"matrix\",\"result\":");
            write_matrix(&mut out, axis, vector);
        }
        Found::Samples(all) => {
            head("\"matrix\",\"result\":");
            write_samples(&mut out, all);
        }
    }
    out.push(b'}');
    if !infos.is_empty() {
        out.extend_from_slice(b",\"infos\":");
        write_json(&mut out, infos);
    }
    out.push(b'}');
    out
}

fn write_vector(out: &mut Vec<u8>, time_micros: i64, vector: &Vector) {
    // A time is the same for all; it is written once and copied.
    let mut time = Vec::new();
    write_time(&mut time, time_micros);
    write_list(out, vector.labels.iter().zip(&vector.values), |out, (labels, value)| {
        write_metric(out, labels);
        out.extend_from_slice(b",\"value\":[");
        out.extend_from_slice(&time);
        out.extend_from_slice(b",\"");
        write_value(out, *value);
        out.extend_from_slice(b"\"]}");
    });
}

fn write_matrix(out: &mut Vec<u8>, axis: &Axis, vector: &Vector) {
    // The times come in each series; they are written once and copied.
    let times: Vec<Vec<u8>> = axis.times_micros().map(begun).collect();
    write_list(out, 0..vector.len(), |out, nth| {
        write_metric(out, &vector.labels[nth]);
        out.extend_from_slice(b",\"values\":");
        let samples = times.iter().zip(vector.column(nth)).filter(|(_, value)| !is_absent(**value));
        write_list(out, samples, |out, (time, value)| {
            out.extend_from_slice(time);
            write_value(out, *value);
            out.extend_from_slice(b"\"]");
        });
        out.push(b'}');
    });
}

fn write_samples(out: &mut Vec<u8>, all: &[Series]) {
    write_list(out, all, |out, series| {
        write_metric(out, &series.labels);
        out.extend_from_slice(b",\"values\":");
        write_list(out, &series.samples, |out, (time, value)| write_sample(out, *time, *value));
        out.push(b'}');
    });
}

/// A sample up to its value.
fn begun(time_micros: i64) -> Vec<u8> {
    let mut out = vec![b'['];
    write_time(&mut out, time_micros);
    out.extend_from_slice(b",\"");
    out
}

fn write_sample(out: &mut Vec<u8>, time_micros: i64, value: f64) {
    out.extend_from_slice(&begun(time_micros));
    write_value(out, value);
    out.extend_from_slice(b"\"]");
}

fn write_metric(out: &mut Vec<u8>, labels: &Labels) {
    out.extend_from_slice(b"{\"metric\":");
    write_json(out, labels);
}

fn write_list<T>(
    out: &mut Vec<u8>,
    all: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (nth, one) in all.into_iter().enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        write(out, one);
    }
    out.push(b']');
}

fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let before = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        // Texts, lists and maps of texts cannot fail; a hole would not be JSON.
        out.truncate(before);
        out.extend_from_slice(b"null");
    }
}

/// Any data.
pub(super) fn data(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut out = b"{\"status\":\"success\",\"data\":".to_vec();
    write_json(&mut out, value);
    out.push(b'}');
    out
}

/// What a server says it is, with Prometheus' keys.
pub(super) fn build_info(info: &BuildInfo<'_>) -> Vec<u8> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        version: &'a str,
        revision: &'a str,
        branch: &'a str,
        build_user: &'a str,
        build_date: &'a str,
        go_version: &'a str,
    }
    let BuildInfo { version, revision } = *info;
    let none = "";
    data(&Body {
        version,
        revision,
        branch: none,
        build_user: none,
        build_date: none,
        go_version: none,
    })
}

/// An error.
pub(super) fn failure(kind: &str, error: &str) -> Vec<u8> {
    let mut out = b"{\"status\":\"error\",\"errorType\":".to_vec();
    write_json(&mut out, kind);
    out.extend_from_slice(b",\"error\":");
    write_json(&mut out, error);
    out.push(b'}');
    out
}
