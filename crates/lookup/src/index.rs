//! All databases of a store with their labels and paths.

use std::cmp::Ordering;
use std::sync::Arc;

use store::{NAMES_AT_ONCE, NamePattern, NamesPage, Rooted};

use crate::column::Column;
use crate::layouts::Layouts;
use crate::rules::Rules;
use crate::texts::Texts;
use crate::tree::Tree;

/// Labels of a database that its name does not tell: name and value of each.
pub type MoreLabels = dyn Fn(&str) -> Vec<(String, String)> + Send + Sync;

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
}

impl Index {
    /// The index of a store. What an earlier one knew of databases is taken over.
    pub(crate) fn new(
        store: &Rooted,
        rules: &Rules,
        more: &MoreLabels,
        earlier: Option<&Self>,
    ) -> Result<Self, store::Error> {
        let names = names(store)?;
        let (mut columns, mut metrics) = (Columns(Vec::new()), Column::new());
        let mut paths = Vec::with_capacity(names.len());
        for database in 0..names.len() {
            let name = names.get(database);
            let (naming, _) = rules.naming(name);
            for (label, value) in naming.labels.iter().chain(&more(name)) {
                columns.named(label).set(database, value);
            }
            metrics.set(database, &naming.metric);
            paths.push(naming.path);
        }
        let layouts = Layouts::new(names.len());
        if let Some(earlier) = earlier {
            take_over(&layouts, &names, earlier);
        }
        metrics.finish();
        Ok(Self { names, columns: columns.finished(), metrics, tree: Tree::new(paths), layouts })
    }

    /// The column of a label.
    pub(crate) fn column(&self, label: &str) -> Option<&Column> {
        let at = self.columns.binary_search_by(|(name, _)| (**name).cmp(label)).ok()?;
        Some(&self.columns[at].1)
    }
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
fn take_over(layouts: &Layouts, names: &Texts, earlier: &Index) {
    let (mut here, mut there) = (0, 0);
    while here < names.len() && there < earlier.names.len() {
        match names.get(here).cmp(earlier.names.get(there)) {
            Ordering::Less => here += 1,
            Ordering::Greater => there += 1,
            Ordering::Equal => {
                layouts.take_over(here, &earlier.layouts, there);
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
