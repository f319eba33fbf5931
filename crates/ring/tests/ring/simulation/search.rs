//! The search for the state that a store is in after an opening, among those that it may be in.

use std::collections::{BTreeMap, BTreeSet};

use rrd::Snapshot;

use crate::model::{Model, Op};

/// A state that the store may be in, beside what it was found to hold. Only the databases of an
/// operation are compared again when it is applied: a group has thousands.
#[derive(Clone)]
pub(super) struct Search<'a> {
    found: &'a BTreeMap<String, Snapshot>,
    candidate: Model,
    /// The names of the databases that differ.
    differing: BTreeSet<String>,
}

impl<'a> Search<'a> {
    pub(super) fn new(candidate: Model, found: &'a BTreeMap<String, Snapshot>) -> Self {
        let mut search = Self { found, differing: BTreeSet::new(), candidate };
        let names: Vec<String> =
            found.keys().chain(search.candidate.databases.keys()).cloned().collect();
        names.iter().for_each(|name| search.compare(name));
        search
    }

    /// Goes on to the state after an operation.
    pub(super) fn apply(&mut self, op: &Op) {
        let _ = self.candidate.apply(op); // what was refused is refused again
        op.names().into_iter().for_each(|name| self.compare(name));
    }

    /// The state, if it is what was found.
    pub(super) fn reached(&self) -> Option<Model> {
        self.differing.is_empty().then(|| self.candidate.clone())
    }

    /// The state after an operation, if that is what was found.
    pub(super) fn reached_by(&self, op: &Op) -> Option<Model> {
        let mut after = self.clone();
        after.apply(op);
        after.reached()
    }

    /// What differs first, by its name.
    pub(super) fn difference(&self) -> Option<String> {
        self.difference_of(self.differing.first()?)
    }

    fn compare(&mut self, name: &str) {
        match self.difference_of(name) {
            Some(_) => self.differing.insert(name.into()),
            None => self.differing.remove(name),
        };
    }

    fn difference_of(&self, name: &str) -> Option<String> {
        match (self.found.get(name), self.candidate.databases.get(name)) {
            (Some(found), Some(expected)) => crate::model::difference(name, found, expected).err(),
            (None, None) => None,
            (found, _) => Some(format!("{name}: found: {}", found.is_some())),
        }
    }
}
