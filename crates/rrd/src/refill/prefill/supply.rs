//! Which archives of which databases rows are taken from.

use std::cmp::{Ordering, Reverse};

use super::super::spread::Column;
use super::Past;
use super::sort::sort;
use crate::{Archive, ConsolidationFunction as Cf, Definition, Snapshot};

/// A source in an archive of a database that has a past.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supply<'a> {
    pub(super) database: &'a Snapshot,
    pub(super) archive: usize,
    pub(super) source: usize,
}

impl Supply<'_> {
    pub(super) fn archive(&self) -> &Archive {
        &self.database.definition.archives[self.archive]
    }

    pub(super) fn column(&self) -> Column<'_> {
        Column { database: self.database, archive: self.archive, source: self.source }
    }

    /// Whether its PDPs are of that step.
    pub(super) fn is_of_step(&self, step_seconds: u64) -> bool {
        self.database.definition.step_seconds == step_seconds
    }

    fn row_seconds(&self) -> u64 {
        self.archive().row_seconds(self.database.definition.step_seconds)
    }
}

/// Finds supplies for a new database.
pub(super) struct Supplies<'a> {
    pub(super) past: &'a Past<'a>,
    pub(super) step_seconds: u64,
}

impl<'a> Supplies<'a> {
    /// What the rows of an archive are filled from, the best first: database by database, its own
    /// function and resolution before others.
    pub(super) fn for_rows(
        &self,
        new: &Definition,
        archive: usize,
        source: usize,
    ) -> Vec<Supply<'a>> {
        let archive = &new.archives[archive];
        let (cf, row_seconds) = (archive.cf, archive.row_seconds(self.step_seconds));
        let is_fine = |other: &Archive| other.pdp_per_row == 1 && !other.cf.is_forecast();
        let fits = |other: &Archive| {
            other.cf == cf || if cf.is_spread() { is_fine(other) } else { other.cf == Cf::Average }
        };
        let is_exact =
            |supply: &Supply<'_>| supply.archive().cf == cf && supply.row_seconds() == row_seconds;
        self.find(new, source, fits, |supplies| {
            sort(supplies, &|a, b| match (is_exact(a), is_exact(b)) {
                (true, _) => Ordering::Less, // even of another that is exact
                (false, true) => Ordering::Greater,
                (false, false) => compare(a, b),
            });
        })
    }

    /// Archives whose row in the making is one of this archive.
    pub(super) fn for_cells(
        &self,
        new: &Definition,
        archive: usize,
        source: usize,
    ) -> Vec<Supply<'a>> {
        let archive = &new.archives[archive];
        let (cf, pdp_per_row) = (archive.cf, archive.pdp_per_row);
        self.find(new, source, |other| (other.cf, other.pdp_per_row) == (cf, pdp_per_row), |_| ())
    }

    fn find(
        &self,
        new: &Definition,
        source: usize,
        fits: impl Fn(&Archive) -> bool,
        order: impl Fn(&mut [Supply<'a>]),
    ) -> Vec<Supply<'a>> {
        let origin = &self.past.origins[source];
        let name = origin.name.as_ref().unwrap_or(&new.sources[source].name);
        let mut found = Vec::new();
        for (nth, database) in (1..).zip(self.past.databases) {
            let definition = &database.definition;
            let source = definition.sources.iter().position(|each| each.name == *name);
            let Some(source) = source.filter(|_| origin.nth.is_none_or(|asked| asked == nth))
            else {
                continue;
            };
            let archives = (0..definition.archives.len())
                .filter(|archive| fits(&definition.archives[*archive]));
            let mut supplies: Vec<Supply<'a>> =
                archives.map(|archive| Supply { database, archive, source }).collect();
            supplies.sort_by_key(|each| (each.archive().pdp_per_row, Reverse(each.archive().rows)));
            order(&mut supplies);
            found.extend(supplies);
        }
        found
    }
}

/// The order of two supplies of one database that both are not exact.
fn compare(a: &Supply<'_>, b: &Supply<'_>) -> Ordering {
    let is_average = |supply: &Supply<'_>| supply.archive().cf == Cf::Average;
    match (is_average(a), is_average(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => {
            let key = |supply: &Supply<'_>| (supply.row_seconds(), Reverse(supply.archive().rows));
            key(a).cmp(&key(b))
        }
    }
}
