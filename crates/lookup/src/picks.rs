//! Which series a question means.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use series::{Comparison, Labels, METRIC_NAME, Matcher};
use store::Rooted;

use crate::index::Index;
use crate::layout::{Column, Layout};
use crate::rules::{DATABASE_LABEL, metric_name, without_suffix};
use crate::threads::{on_each, pieces};

/// So many databases are looked at by one thread.
const DATABASES_AT_LEAST: usize = 20_000;
/// So many layouts are read by one thread.
const LAYOUTS_AT_LEAST: usize = 500;

/// A series: a column of a database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    pub(crate) database: u32,
    /// The position of its database's shape among those that the picker met.
    pub(crate) shape: u32,
    pub(crate) column: u32,
}

/// What databases of one layout are whose series have the same names.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) layout: Arc<Layout>,
    /// The name of each column's series.
    pub(crate) metrics: Vec<Arc<str>>,
}

/// By what the shape of a database is known: the position of its metrics' name, and the number of
/// its layout.
type ShapeKey = (u32, u32);

/// Which databases may be seen.
pub(crate) type IsSeen = dyn Fn(&str) -> bool + Send + Sync;

/// Looks series up in an index.
pub(crate) struct Picker<'i> {
    pub(crate) index: &'i Index,
    pub(crate) store: &'i Rooted,
    /// Which databases may be seen.
    pub(crate) is_seen: &'i IsSeen,
    shapes: Vec<Shape>,
    positions: HashMap<ShapeKey, u32>,
    /// The shape that was met last: neighbours are alike.
    latest: Option<(ShapeKey, u32)>,
}

impl<'i> Picker<'i> {
    pub(crate) fn new(index: &'i Index, store: &'i Rooted, is_seen: &'i IsSeen) -> Self {
        let (shapes, positions) = (Vec::new(), HashMap::new());
        Self { index, store, is_seen, shapes, positions, latest: None }
    }

    /// Hands over the series whose labels meet all conditions, until `take` returns false.
    pub(crate) fn each(&mut self, matchers: &[Matcher], take: &mut dyn FnMut(Pick) -> bool) {
        let (of_metric, of_databases): (Vec<&Matcher>, Vec<&Matcher>) =
            matchers.iter().partition(|matcher| matcher.label == METRIC_NAME);
        let databases = self.databases(&of_databases);
        self.read_layouts(&databases);
        // The columns of each shape whose names meet the conditions.
        let mut accepted: Vec<Vec<u32>> = Vec::new();
        for database in databases {
            let Some(shape) = self.shape_of(database as usize) else { continue };
            for met in &self.shapes[accepted.len()..] {
                let is_meant = |name: &str| of_metric.iter().all(|matcher| matcher.matches(name));
                let columns = met.metrics.iter().zip(0..).filter(|(name, _)| is_meant(name));
                accepted.push(columns.map(|(_, column)| column).collect());
            }
            for &column in &accepted[shape as usize] {
                if !take(Pick { database, shape, column }) {
                    return;
                }
            }
        }
    }

    /// The position of a database's shape; `None` if it has no series that can be read.
    pub(crate) fn shape_of(&mut self, database: usize) -> Option<u32> {
        let index = self.index;
        let number = index.layouts.number_of(self.store, database, &index.names)?;
        let key = (index.metrics.position(database), number);
        match self.latest {
            Some((latest, shape)) if latest == key => return Some(shape),
            _ => (),
        }
        let shape = match self.positions.get(&key) {
            Some(shape) => *shape,
            None => self.met(key)?,
        };
        self.latest = Some((key, shape));
        Some(shape)
    }

    fn met(&mut self, key: ShapeKey) -> Option<u32> {
        let layout = self.index.layouts.numbered(key.1)?;
        let metric = self.index.metrics.value(key.0);
        let columns = layout.columns.iter();
        let names = columns.map(|column| metric_name(metric, &column.source) + &column.suffix);
        let metrics = names.map(Arc::from).collect();
        let shape = self.shapes.len() as u32;
        self.shapes.push(Shape { layout, metrics });
        self.positions.insert(key, shape);
        Some(shape)
    }

    /// A shape that was met.
    pub(crate) fn shape(&self, position: u32) -> &Shape {
        &self.shapes[position as usize]
    }

    pub(crate) fn layout(&self, pick: Pick) -> &Layout {
        &self.shape(pick.shape).layout
    }

    pub(crate) fn column(&self, pick: Pick) -> &Column {
        &self.layout(pick).columns[pick.column as usize]
    }

    /// The name of a series.
    pub(crate) fn metric(&self, pick: Pick) -> &Arc<str> {
        &self.shape(pick.shape).metrics[pick.column as usize]
    }

    /// The labels of a series.
    pub(crate) fn labels(&self, pick: Pick) -> Labels {
        self.index.labels(pick.database as usize, self.metric(pick))
    }

    /// Reads the layouts that are not known yet.
    fn read_layouts(&self, databases: &[u32]) {
        let index = self.index;
        let unknown = databases.iter().copied().filter(|it| !index.layouts.is_known(*it as usize));
        let unknown: Vec<u32> = unknown.collect();
        on_each(pieces(unknown.len(), LAYOUTS_AT_LEAST), |piece| {
            for database in &unknown[piece] {
                index.layouts.number_of(self.store, *database as usize, &index.names);
            }
        });
    }

    /// The databases whose labels meet all conditions.
    fn databases(&self, matchers: &[&Matcher]) -> Vec<u32> {
        let (of_name, of_labels): (Vec<&Matcher>, Vec<&Matcher>) =
            matchers.iter().partition(|matcher| matcher.label == DATABASE_LABEL);
        let (index, is_seen) = (self.index, self.is_seen);
        let mut conditions = Vec::new();
        for matcher in of_labels {
            match index.column(&matcher.label) {
                Some(column) => conditions.push((column, column.accepted(matcher))),
                None if matcher.matches("") => (),
                None => return Vec::new(),
            }
        }
        let meets = |database: usize| {
            let mut labels = conditions.iter();
            labels.all(|(column, accepted)| accepted[column.position(database) as usize]) && {
                let name = index.names.get(database);
                let mut of_name = of_name.iter();
                of_name.all(|matcher| matcher.matches(without_suffix(name))) && is_seen(name)
            }
        };
        let stretch = self.stretch(&of_name);
        let found = on_each(pieces(stretch.len(), DATABASES_AT_LEAST), |piece| {
            let databases = stretch.start + piece.start..stretch.start + piece.end;
            databases.filter(|it| meets(*it)).map(|it| it as u32).collect::<Vec<u32>>()
        });
        found.concat()
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
