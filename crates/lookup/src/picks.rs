//! Which series a question means.

use std::ops::Range;
use std::sync::Arc;

use series::{Comparison, Label, Labels, METRIC_NAME, Matcher};
use std::collections::HashMap;
use store::Rooted;

use crate::index::Index;
use crate::layouts::Numbered;
use crate::rules::{DATABASE_LABEL, metric_name, without_suffix};

/// A series: a column of a database.
#[derive(Clone, Debug)]
pub(crate) struct Pick {
    pub(crate) database: u32,
    pub(crate) numbered: Numbered,
    pub(crate) column: usize,
    /// The series' name.
    pub(crate) metric: Arc<str>,
}

/// The names of the series that a layout has in databases with the same name of metrics.
type Metrics = Arc<[Arc<str>]>;

/// Looks series up in an index.
pub(crate) struct Picker<'i> {
    pub(crate) index: &'i Index,
    pub(crate) store: &'i Rooted,
    /// Which databases may be seen.
    pub(crate) is_seen: &'i dyn Fn(&str) -> bool,
    metrics: HashMap<(u32, u32), Metrics>,
}

impl<'i> Picker<'i> {
    pub(crate) fn new(
        index: &'i Index,
        store: &'i Rooted,
        is_seen: &'i dyn Fn(&str) -> bool,
    ) -> Self {
        Self { index, store, is_seen, metrics: HashMap::new() }
    }

    /// Hands over the series whose labels meet all conditions, until `take` returns false.
    pub(crate) fn each(&mut self, matchers: &[Matcher], take: &mut dyn FnMut(Pick) -> bool) {
        let (of_metric, of_databases): (Vec<&Matcher>, Vec<&Matcher>) =
            matchers.iter().partition(|matcher| matcher.label == METRIC_NAME);
        // What was found out about a layout's names, for each of its columns.
        let mut accepted: HashMap<(u32, u32), Arc<[usize]>> = HashMap::new();
        for database in self.databases(&of_databases) {
            let Some((numbered, metrics)) = self.series(database) else { continue };
            let key = (self.index.metrics.position(database), numbered.number);
            let columns = accepted.entry(key).or_insert_with(|| {
                let is_meant = |name: &str| of_metric.iter().all(|matcher| matcher.matches(name));
                let columns = metrics.iter().enumerate().filter(|(_, name)| is_meant(name));
                columns.map(|(column, _)| column).collect()
            });
            for &column in columns.iter() {
                let (numbered, metric) = (numbered.clone(), metrics[column].clone());
                if !take(Pick { database: database as u32, numbered, column, metric }) {
                    return;
                }
            }
        }
    }

    /// A database's layout, and the names of its series.
    pub(crate) fn series(&mut self, database: usize) -> Option<(Numbered, Metrics)> {
        let index = self.index;
        let name = index.names.get(database);
        let numbered = index.layouts.get(self.store, database, name)?;
        let position = index.metrics.position(database);
        let metrics = self.metrics.entry((position, numbered.number)).or_insert_with(|| {
            let metric = index.metrics.value(position);
            let columns = numbered.layout.columns.iter();
            let name = columns.map(|column| metric_name(metric, &column.source) + &column.suffix);
            name.map(Arc::from).collect()
        });
        Some((numbered, metrics.clone()))
    }

    /// The databases whose labels meet all conditions.
    fn databases(&self, matchers: &[&Matcher]) -> Vec<usize> {
        let (of_name, of_labels): (Vec<&Matcher>, Vec<&Matcher>) =
            matchers.iter().partition(|matcher| matcher.label == DATABASE_LABEL);
        let mut conditions = Vec::new();
        for matcher in of_labels {
            match self.index.column(&matcher.label) {
                Some(column) => conditions.push((column, column.accepted(matcher))),
                None if matcher.matches("") => (),
                None => return Vec::new(),
            }
        }
        let meets = |database: &usize| {
            let labels = conditions.iter();
            let mut labels =
                labels.map(|(column, accepted)| accepted[column.position(*database) as usize]);
            let name = self.index.names.get(*database);
            labels.all(|is_accepted| is_accepted)
                && of_name.iter().all(|matcher| matcher.matches(without_suffix(name)))
                && (self.is_seen)(name)
        };
        self.stretch(&of_name).filter(meets).collect()
    }

    /// A stretch of positions in which all databases are that meet conditions on the name.
    fn stretch(&self, of_name: &[&Matcher]) -> Range<usize> {
        let names = &self.index.names;
        let mut all = 0..names.len();
        for matcher in of_name {
            let beginning = match matcher.comparison {
                Comparison::Equal => matcher.value.as_str(),
                Comparison::Matches => literal_beginning(&matcher.value),
                Comparison::NotEqual | Comparison::MatchesNot => "",
            };
            let begin = names.partition_point(all.clone(), |name| name < beginning);
            let is_before = |name: &str| name.starts_with(beginning);
            all = begin..names.partition_point(begin..all.end, is_before);
        }
        all
    }

    /// The labels of a series.
    pub(crate) fn labels(&self, pick: &Pick) -> Labels {
        let index = self.index;
        let database = pick.database as usize;
        let name = without_suffix(index.names.get(database));
        let own = [Label::new(METRIC_NAME, pick.metric.clone()), Label::new(DATABASE_LABEL, name)];
        let columns = index.columns.iter().map(|(label, column)| Label {
            name: label.clone(),
            value: column.value(column.position(database)).clone(),
        });
        Labels::new(own.into_iter().chain(columns))
    }
}

/// The text with which everything begins that a pattern matches.
fn literal_beginning(pattern: &str) -> &str {
    if pattern.contains('|') {
        return "";
    }
    let end = pattern.find(|letter: char| ".+*?()[]{}^$\\".contains(letter));
    let Some(end) = end else { return pattern };
    // A sign that repeats takes back the letter before it.
    let takes_back = pattern[end..].starts_with(['*', '?', '{']);
    let last = pattern[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    &pattern[..if takes_back { last } else { end }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_beginning_of_a_pattern_is_never_too_long() {
        for (pattern, beginning) in [
            ("router1/.*", "router1/"),
            ("abc", "abc"),
            ("ab?c", "a"),
            ("abc{0,2}", "ab"),
            ("ab+", "ab"),
            ("a|b", ""),
            ("(a)b", ""),
            ("\\d", ""),
            ("*", ""),
        ] {
            assert_eq!(literal_beginning(pattern), beginning, "{pattern}");
        }
    }
}
