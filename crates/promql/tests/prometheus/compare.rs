//! Two answers side by side.

use std::collections::BTreeMap;

use oracle::HttpReply;
use promql::api::Answer;
use serde_json::Value as Json;

/// Values may differ by this much of the larger one: sums are taken in other orders.
const RELATIVE_MAX: f64 = 1e-12;
/// A difference this small is none: sums around zero lose more digits.
const ABSOLUTE_MAX: f64 = 1e-12;

type Samples = BTreeMap<String, f64>;

/// What is different about two answers.
pub(crate) fn difference(ours: &Answer, theirs: &HttpReply) -> Option<String> {
    let body = String::from_utf8_lossy(&ours.body);
    let shown =
        || format!("{} {body}\n    and theirs {} {}", ours.status, theirs.status, theirs.body);
    if ours.status != 200 || theirs.status != 200 {
        return (ours.status != theirs.status).then(shown);
    }
    let ours: Json = serde_json::from_slice(&ours.body).expect("our JSON");
    let theirs: Json = serde_json::from_str(&theirs.body).expect("their JSON");
    let (ours, theirs) = (&ours["data"], &theirs["data"]);
    if ours["resultType"] != theirs["resultType"] {
        return Some(format!("{} and theirs {}", ours["resultType"], theirs["resultType"]));
    }
    let (ours, theirs) = (series(&ours["result"]), series(&theirs["result"]));
    if !ours.keys().eq(theirs.keys()) {
        let keys =
            |all: &BTreeMap<String, Samples>| format!("{:?}", all.keys().collect::<Vec<_>>());
        return Some(format!("{}\n    and theirs {}", keys(&ours), keys(&theirs)));
    }
    let pairs = ours.iter().zip(theirs.values());
    pairs.flat_map(|((metric, ours), theirs)| of_samples(metric, ours, theirs)).next()
}

fn of_samples(metric: &str, ours: &Samples, theirs: &Samples) -> Option<String> {
    if !ours.keys().eq(theirs.keys()) {
        let keys = |all: &Samples| format!("{:?}", all.keys().collect::<Vec<_>>());
        return Some(format!("{metric}: times {}\n    and theirs {}", keys(ours), keys(theirs)));
    }
    let pairs = ours.iter().zip(theirs.values());
    let mut different = pairs.filter(|((_, ours), theirs)| !are_near(**ours, **theirs));
    different
        .next()
        .map(|((time, ours), theirs)| format!("{metric} at {time}: {ours} and theirs {theirs}"))
}

fn are_near(one: f64, other: f64) -> bool {
    let room = (RELATIVE_MAX * one.abs().max(other.abs())).max(ABSOLUTE_MAX);
    one == other || (one.is_nan() && other.is_nan()) || (one - other).abs() <= room
}

/// The samples of each series; those of a scalar have no labels.
fn series(result: &Json) -> BTreeMap<String, Samples> {
    let Json::Array(all) = result else { panic!("a list is expected: {result}") };
    if all.first().is_some_and(|it| !it.is_object()) {
        return [(String::new(), [sample(result)].into())].into();
    }
    let one = |it: &Json| {
        let samples = match &it["values"] {
            Json::Array(values) => values.iter().map(sample).collect(),
            _ => [sample(&it["value"])].into(),
        };
        (it["metric"].to_string(), samples)
    };
    all.iter().map(one).collect()
}

/// A time and a value. A text that is no number stands with the time, so that it is compared too.
fn sample(pair: &Json) -> (String, f64) {
    let text = pair[1].as_str().expect("a value is a text");
    match text.parse() {
        Ok(value) => (pair[0].to_string(), value),
        Err(_) => (format!("{} {text:?}", pair[0]), 0.0),
    }
}
