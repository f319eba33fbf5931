//! What the store shows of its databases, held against the model.

use std::collections::{BTreeMap, BTreeSet};

use disk::Medium as _;
use ring::copied::CATALOGUE;
use ring::file::{Departure, Party};
use rrd::fetch::Query;
use store::Error;

use super::Simulation;
use crate::model::assert_same;

/// So many databases are looked at each by itself. Of a crowd the others are looked at together: a
/// read of one member may read what all the others have in the attic.
pub(super) const LOOKED_AT_MAX: usize = 200;

impl Simulation {
    pub(crate) fn look_at(&self, name: &str) {
        let found = self.engine().snapshot(name);
        if !self.reads_count() {
            return;
        }
        match found {
            Ok(found) => assert_same(name, &found, &self.live.databases[name]),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    /// Looks at every database, and at all of them as an export has them leave.
    pub(crate) fn look_at_all(&self) {
        let one_in = self.live.databases.len() / LOOKED_AT_MAX + 1;
        self.live.databases.keys().step_by(one_in).for_each(|name| self.look_at(name));
        let left = self.leave(&self.engine().departures().all());
        if let Some(left) = left.filter(|_| self.reads_count()) {
            assert!(left.iter().eq(self.live.databases.keys()), "{left:?}");
        }
        let names = self.engine().names();
        if !self.reads_count() {
            return;
        }
        match names {
            Ok(names) => assert!(names.iter().eq(self.live.databases.keys()), "{names:?}"),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    /// A database as `dump` has it leave the store.
    pub(crate) fn look_at_dump(&self, name: &str) {
        let parties = self.engine().departures().of(&[name.to_owned()]).unwrap();
        self.leave(&parties);
    }

    /// Has databases leave, and holds each against the model, as a snapshot and as the bytes of a
    /// file. Returns the names of those that left, sorted, unless the machine failed.
    fn leave(&self, parties: &[Party]) -> Option<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for departure in self.departures(parties).filter(|_| self.reads_count())? {
            let Departure { name, snapshot, .. } = &departure;
            let expected = &self.live.databases[name];
            let (_, file) = match departure.file_bytes() {
                Ok(bytes) => rrdfile::decode(&bytes).unwrap(),
                Err(Error::BeyondFiles { .. }) => departure.clone().whole().unwrap(),
                Err(error) => panic!("{name}: {error}"),
            };
            assert_same(&format!("{name}, as it leaves"), snapshot, expected);
            assert_same(&format!("{name}, as a file"), &file, expected);
            names.insert(departure.name);
        }
        Some(names)
    }

    /// Has databases leave, unless the machine fails.
    pub(super) fn departures(&self, parties: &[Party]) -> Option<Vec<Departure>> {
        let mut departures = Vec::new();
        for party in parties {
            let left =
                self.engine().departures().leave(party, |_, departure| departures.push(departure));
            if let Err(error) = left {
                self.assert_of_the_machine(&error);
                return None;
            }
        }
        let whole = departures.into_iter().map(|departure| match departure {
            Err(error) if self.reads_count() => {
                self.assert_of_the_machine(&error);
                None
            }
            departure => departure.ok(),
        });
        whole.collect()
    }

    /// What the directory holds is what the store needs: the catalogue, the log, and of each group
    /// its tiles, both places of its checkpoint and one attic at most, or two that follow each
    /// other as long as the older checkpoint names the older one.
    pub(crate) fn look_at_files(&self) {
        let groups = self.engine().report().groups;
        let mut attics: BTreeMap<u32, u32> = BTreeMap::new();
        for file in self.medium.list().expect("a machine without faults") {
            let Some(group) = ring::copied::group_of(&file) else {
                let is_log = journal::is_segment(&file) || journal::is_note(&file);
                let is_log = is_log || journal::is_outline(&file);
                let known = file == CATALOGUE || is_log;
                assert!(known, "{file} belongs to nothing");
                continue;
            };
            assert!(groups.iter().any(|each| each.group == group), "{file}: no such group");
            if let Some((_, epoch)) = file.split_once(".attic") {
                let epoch: u32 = epoch.parse().expect("attics are numbered");
                let first = *attics.entry(group).or_insert(epoch);
                assert!(first.abs_diff(epoch) <= 1, "{file}: attic {first} is there, too");
            }
        }
    }

    pub(crate) fn fetch(&self, name: &str, query: &Query) {
        let found = self.engine().fetch(name, query);
        if !self.reads_count() {
            return;
        }
        let expected = &self.live.databases[name];
        let last_seconds = expected.live.last_update.seconds;
        let window = rrd::fetch::window(&expected.definition, last_seconds, query);
        let (found, window) = match (found, window) {
            (Ok(found), Ok(window)) => (found, window),
            (Err(Error::Fetch { .. }), Err(_)) => return,
            (Err(error), _) => return self.assert_of_the_machine(&error),
            (Ok(_), Err(error)) => panic!("{name}: {query:?}: expected {error}"),
        };
        let sources = expected.definition.sources.len();
        let ring = &expected.rows[window.archive];
        let rows = (ring.len() / sources) as i64;
        for (nth, (_, values)) in found.iter().enumerate() {
            let age = window.first_age - nth as i64;
            for (source, value) in values.iter().enumerate() {
                let expected = match (0..rows).contains(&age) {
                    true => ring[(rows - 1 - age) as usize * sources + source],
                    false => rrd::UNKNOWN,
                };
                assert_eq!(value.to_bits(), expected.to_bits(), "{name}: {query:?} row {nth}");
            }
        }
    }
}
