//! All databases of a store with their labels and paths.

use std::cmp::Ordering;
use std::sync::Arc;

use series::{Label, Labels, METRIC_NAME};
use store::{NAMES_AT_ONCE, NamePattern, NamesPage, Rooted};

use crate::changes::Changed;
use crate::column::Column;
use crate::layouts::Layouts;
use crate::rules::{DATABASE_LABEL, Rules, without_suffix};
use crate::texts::Texts;
use crate::threads::{on_each, pieces};
use crate::tree::Tree;

/// Labels of a database that its name does not tell: name and value of each.
pub type MoreLabels = dyn Fn(&str) -> Vec<(String, String)> + Send + Sync;

/// So many names are told apart by one thread.
const NAMES_AT_LEAST: usize = 10_000;

/// All databases by their positions, which are those of their sorted names.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) names: Texts,
    /// The labels, sorted by name.
    pub(crate) columns: Vec<(Arc<str>, Column)>,
    /// The names of the metrics, with a place for the data source's name.
    pub(crate) metrics: Column,
    pub(crate) tree: Tree,
    pub(crate) layouts: Layouts,
    order: Vec<Named>,
}

/// What rules say about databases, one after the other.
struct Described {
    columns: Columns,
    metrics: Column,
    paths: Vec<String>,
}

impl Default for Described {
    fn default() -> Self {
        Self { columns: Columns(Vec::new()), metrics: Column::new(), paths: Vec::new() }
    }
}

impl Described {
    fn new<'n>(names: impl Iterator<Item = &'n str>, rules: &Rules, more: &MoreLabels) -> Self {
        let mut all = Self::default();
        for (database, name) in names.enumerate() {
            let (naming, _) = rules.naming(name);
            for (label, value) in naming.labels.iter().chain(&more(name)) {
                all.columns.named(label).set(database, value);
            }
            all.metrics.set(database, &naming.metric);
            all.paths.push(naming.path);
        }
        all
    }

    fn append(&mut self, next: Self) {
        let before = self.paths.len();
        for (label, column) in &next.columns.0 {
            self.columns.named(label).append(before, column);
        }
        self.metrics.append(before, &next.metrics);
        self.paths.extend(next.paths);
    }
}

/// A label of all series, in the order of the labels' names.
#[derive(Debug)]
struct Named {
    name: Arc<str>,
    value: ValueFrom,
}

/// Where a label's value comes from.
#[derive(Debug)]
enum ValueFrom {
    Metric,
    Name,
    /// The column at this position.
    Column(usize),
}

impl Index {
    /// The index of a store. What an earlier one knew of databases that did not change is taken over.
    pub(crate) fn new(
        store: &Rooted,
        rules: &Rules,
        more: &MoreLabels,
        earlier: Option<&Self>,
        changed: &Changed,
    ) -> Result<Self, store::Error> {
        let names = names(store)?;
        // One that is made beside questions leaves the other processors to them.
        let at_least = if earlier.is_some() { names.len() } else { NAMES_AT_LEAST };
        let named = on_each(pieces(names.len(), at_least), |piece| {
            Described::new(piece.map(|database| names.get(database)), rules, more)
        });
        let mut named = named.into_iter();
        let mut all = named.next().unwrap_or_default();
        named.for_each(|next| all.append(next));
        let Described { columns, mut metrics, paths } = all;
        let layouts = Layouts::new(names.len());
        if let Some(earlier) = earlier {
            take_over(&layouts, &names, earlier, changed);
        }
        metrics.finish();
        let columns = columns.finished();
        let order = order(&columns);
        Ok(Self { names, columns, metrics, tree: Tree::new(paths), layouts, order })
    }

    /// The labels of a series of a database.
    pub(crate) fn labels(&self, database: usize, metric: &Arc<str>) -> Labels {
        Labels::of_sorted(self.order.iter().map(|Named { name, value }| {
            let value = match value {
                ValueFrom::Metric => metric.clone(),
                ValueFrom::Name => Arc::from(without_suffix(self.names.get(database))),
                ValueFrom::Column(at) => {
                    let column = &self.columns[*at].1;
                    column.value(column.position(database)).clone()
                }
            };
            Label { name: name.clone(), value }
        }))
    }

    /// The column of a label.
    pub(crate) fn column(&self, label: &str) -> Option<&Column> {
        let at = self.columns.binary_search_by(|(name, _)| (**name).cmp(label)).ok()?;
        Some(&self.columns[at].1)
    }
}

/// All labels in the order of their names. A rule cannot name a label as one of the first two.
fn order(columns: &[(Arc<str>, Column)]) -> Vec<Named> {
    let named = |name: &str, value| Named { name: Arc::from(name), value };
    let own = [named(METRIC_NAME, ValueFrom::Metric), named(DATABASE_LABEL, ValueFrom::Name)];
    let columns = columns.iter().enumerate();
    let columns =
        columns.map(|(at, (name, _))| Named { name: name.clone(), value: ValueFrom::Column(at) });
    let mut all: Vec<Named> = own.into_iter().chain(columns).collect();
    // Of two with the same name the later one counts.
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all.dedup_by(|later, earlier| {
        let is_same = later.name == earlier.name;
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
    all
}

fn names(store: &Rooted) -> Result<Texts, store::Error> {
    let (pattern, mut from) = (NamePattern::beginning(""), String::new());
    let mut all = Texts::default();
    loop {
        let NamesPage { names, next } = store.names_from(&pattern, &from, NAMES_AT_ONCE)?;
        names.iter().for_each(|name| all.push(name));
        match next {
            Some(next) => from = next,
            None => return Ok(all),
        }
    }
}

/// Walks along the sorted names of both.
fn take_over(layouts: &Layouts, names: &Texts, earlier: &Index, changed: &Changed) {
    let numbers = layouts.numbers_of(&earlier.layouts);
    let (mut here, mut there) = (0, 0);
    while here < names.len() && there < earlier.names.len() {
        match names.get(here).cmp(earlier.names.get(there)) {
            Ordering::Less => here += 1,
            Ordering::Greater => there += 1,
            Ordering::Equal => {
                if !changed.has(names.get(here)) {
                    layouts.take_over(here, &earlier.layouts, there, &numbers);
                }
                (here, there) = (here + 1, there + 1);
            }
        }
    }
}

struct Columns(Vec<(Arc<str>, Column)>);

impl Columns {
    fn named(&mut self, label: &str) -> &mut Column {
        // A handful: a search from the front is the fastest.
        let known = self.0.iter().position(|(name, _)| **name == *label);
        let at = known.unwrap_or_else(|| {
            self.0.push((Arc::from(label), Column::new()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    fn finished(mut self) -> Vec<(Arc<str>, Column)> {
        self.0.iter_mut().for_each(|(_, column)| column.finish());
        self.0.sort_by(|one, other| one.0.cmp(&other.0));
        self.0
    }
}
