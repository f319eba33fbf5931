//! Samples for databases, as JSON.
//!
//! ```text
//! {"updates": [{"database": "a.rrd", "samples": [[1700000000, 17, 2.5], [1700000300, null, 3]]}]}
//! ```

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Number, Value, json};
use store::Update;

use super::context::DataContext;
use super::problem::Problem;

/// What is posted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Posted {
    updates: Vec<Posting>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Posting {
    database: String,
    /// Each has the time in seconds and a reading for each data source; null is unknown.
    samples: Vec<Vec<Option<Number>>>,
}

/// What became of posted samples.
pub(super) struct Taken {
    /// Whether every sample was taken.
    pub(super) is_all: bool,
    pub(super) answer: Value,
}

/// Updates databases. Once it returns, what was taken is acknowledged by the store.
pub(super) fn update(
    context: &DataContext,
    may_change: &dyn Fn(&str) -> bool,
    posted: &Posted,
) -> Result<Taken, Problem> {
    let mut texts = Vec::new();
    let mut paths: Vec<PathBuf> = Vec::new();
    for posting in &posted.updates {
        if !may_change(&posting.database) {
            return Err(Problem::NoDatabase(posting.database.clone()));
        }
        paths.push(context.path(&posting.database)?);
        let samples = posting.samples.iter().map(|sample| text(sample));
        texts.push(samples.collect::<Result<Vec<String>, _>>()?);
    }
    let words: Vec<Vec<&str>> =
        texts.iter().map(|texts| texts.iter().map(String::as_str).collect()).collect();
    let batch: Vec<_> =
        paths.iter().zip(&words).map(|(path, words)| Update::numbered(path, words)).collect();
    let failures = context.store.store().update(&batch);
    let mut taken: usize = words.iter().map(Vec::len).sum();
    let mut refused = Vec::new();
    for (nth, failure) in &failures {
        taken -= words[*nth].len() - failure.taken;
        refused.push(json!({
            "database": posted.updates[*nth].database,
            "sample": failure.taken,
            "error": failure.error.to_string(),
        }));
    }
    let is_all = refused.is_empty();
    Ok(Taken { is_all, answer: json!({ "taken": taken, "refused": refused }) })
}

/// A sample in the form of rrdcached's protocol.
fn text(sample: &[Option<Number>]) -> Result<String, Problem> {
    let Some((Some(time), readings)) = sample.split_first() else {
        let why = "expected a time in seconds first in each sample";
        return Err(Problem::wrong("samples", why));
    };
    let readings = readings.iter().map(|reading| match reading {
        Some(number) => format!(":{number}"),
        None => ":U".to_owned(),
    });
    Ok(time.to_string() + &readings.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_all_of_their_digits() {
        let sample: Vec<Option<Number>> =
            serde_json::from_str("[1700000000, 18446744073709551615, null, 0.1]").unwrap();
        assert_eq!(text(&sample).unwrap(), "1700000000:18446744073709551615:U:0.1");
        assert!(text(&[]).is_err() && text(&[None]).is_err());
    }
}
