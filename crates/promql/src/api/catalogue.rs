//! Which series, labels and metrics there are.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use series::{Comparison, Described, Kind, METRIC_NAME, Matcher, Source};

use super::{Chosen, json, parameters};
use crate::error::Failed;
use crate::relabel::check_name;

/// What is told of a metric.
#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Metadata {
    #[serde(rename = "type")]
    kind: &'static str,
    help: &'static str,
    unit: &'static str,
}

/// The labels of the series that meet any of some conditions.
pub(super) fn series(source: &dyn Source, chosen: &Chosen<'_>) -> Result<Vec<u8>, Failed> {
    let selectors = parameters::selectors(chosen)?;
    let limit = parameters::limit(chosen.limit)?;
    if selectors.is_empty() {
        let why = "no match[] parameter provided".to_owned();
        return Err(Failed::Parameter { name: "match[]", why });
    }
    let mut found = BTreeSet::new();
    for matchers in &selectors {
        found.extend(source.describe(matchers)?.into_iter().map(|it| it.labels));
    }
    let found: Vec<_> = found.into_iter().take(limit).collect();
    Ok(json::data(&found))
}

/// The names of all labels.
pub(super) fn label_names(source: &dyn Source, chosen: &Chosen<'_>) -> Result<Vec<u8>, Failed> {
    texts(chosen, |matchers| Ok(source.label_names(matchers)?))
}

/// The values of a label.
pub(super) fn label_values(
    source: &dyn Source,
    name: &str,
    chosen: &Chosen<'_>,
) -> Result<Vec<u8>, Failed> {
    if check_name("", name).is_err() {
        let why = format!("invalid label name: {name:?}");
        return Err(Failed::Parameter { name: "name", why });
    }
    texts(chosen, |matchers| Ok(source.label_values(name, matchers)?))
}

fn texts(
    chosen: &Chosen<'_>,
    ask: impl Fn(&[Matcher]) -> Result<Vec<String>, Failed>,
) -> Result<Vec<u8>, Failed> {
    let selectors = parameters::selectors(chosen)?;
    let limit = parameters::limit(chosen.limit)?;
    let mut found = BTreeSet::new();
    if selectors.is_empty() {
        found.extend(ask(&[])?);
    }
    for matchers in &selectors {
        found.extend(ask(matchers)?);
    }
    let found: Vec<String> = found.into_iter().take(limit).collect();
    Ok(json::data(&found))
}

/// What metrics are. All are gauges, for a database of rates keeps no counts.
pub(super) fn metadata(
    source: &dyn Source,
    metric: Option<&str>,
    limit: Option<&str>,
) -> Result<Vec<u8>, Failed> {
    let limit = parameters::limit(limit)?;
    let matchers = match metric.filter(|it| !it.is_empty()) {
        None => Vec::new(),
        Some(name) => vec![matcher(name)?],
    };
    let mut found: BTreeMap<String, BTreeSet<Metadata>> = BTreeMap::new();
    for Described { labels, kind, .. } in source.describe(&matchers)? {
        let help = match kind {
            Kind::Gauge => "",
            Kind::Rate => "a rate for each second: its database keeps no counts",
        };
        let metadata = Metadata { kind: "gauge", help, unit: "" };
        match found.get_mut(labels.metric_name()) {
            Some(all) => drop(all.insert(metadata)),
            None => drop(found.insert(labels.metric_name().to_owned(), [metadata].into())),
        }
    }
    let found: BTreeMap<_, _> = found.into_iter().take(limit).collect();
    Ok(json::data(&found))
}

fn matcher(name: &str) -> Result<Matcher, Failed> {
    let matcher = Matcher::new(METRIC_NAME, Comparison::Equal, name);
    matcher.map_err(|error| Failed::Source(error.into()))
}
