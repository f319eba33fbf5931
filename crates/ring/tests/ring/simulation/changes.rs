//! What changes a database as a whole.

use std::collections::BTreeMap;

use rrd::refill::RowChange;
use rrd::{Definition, Room, Snapshot, Timestamp};
use store::Adoptee;
use store::SourceTuning;
use store::{Error, NewDatabase};

use super::Simulation;
use crate::model::Op;

impl Simulation {
    /// What became of a call that changes one thing: whether it happened is seen in the store.
    fn settle(&mut self, done: Result<(), Error>, op: Op, happened: impl Fn(&Self) -> bool) {
        match done {
            Ok(()) => {
                self.happened(op);
                self.acknowledge();
            }
            Err(error) => {
                self.assert_of_the_machine(&error);
                self.stopped |= matches!(error, Error::Stopped(_));
                if !matches!(error, Error::Stopped(_)) && happened(self) {
                    self.happened(op);
                }
            }
        }
    }

    fn exists(&self, name: &str) -> bool {
        let described = self.engine().describe(name);
        !described.is_err_and(|error| error.is_missing())
    }

    pub(crate) fn create(&mut self, name: &str, definition: &Definition, start: Timestamp) {
        self.create_all(&[NewDatabase { name: name.as_ref(), definition, start }]);
    }

    /// Makes databases with one wait for the disk. Names that fail may be there all the same.
    pub(crate) fn create_all(&mut self, new: &[NewDatabase<'_>]) {
        let failures: BTreeMap<usize, Error> = self.engine().create_all(new).into_iter().collect();
        for (nth, NewDatabase { name, definition, start }) in new.iter().enumerate() {
            let name = name.to_str().expect("names are text");
            if let Some(error) = failures.get(&nth) {
                self.assert_of_the_machine(error);
                self.stopped |= matches!(error, Error::Stopped(_));
                if self.stopped || !self.exists(name) {
                    continue;
                }
            }
            let (name, definition) = (name.into(), (*definition).clone());
            self.happened(Op::Create { name, definition, start: *start });
        }
        if failures.len() < new.len() {
            self.acknowledge_as_synced();
        }
    }

    pub(crate) fn delete(&mut self, name: &str) {
        let done = self.engine().delete(name);
        self.settle(done, Op::Delete { name: name.into() }, |simulation| !simulation.exists(name));
    }

    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let done = self.engine().rename(from, to);
        let op = Op::Rename { from: from.into(), to: to.into() };
        self.settle(done, op, |simulation| simulation.exists(to));
    }

    pub(crate) fn tune(&mut self, name: &str, tuning: SourceTuning) {
        let done = self.engine().tune(name, &tuning);
        // What fails is the log, when it was done already.
        self.settle(done, Op::Tune { name: name.into(), tuning }, |_| true);
    }

    pub(crate) fn restore(&mut self, name: &str, snapshot: &Snapshot) {
        let adoptee = Adoptee { name: name.into(), snapshot: snapshot.clone(), foreign: None };
        self.adopt(&[adoptee]);
    }

    /// Takes in whole databases of one layout, as an import does.
    pub(crate) fn adopt(&mut self, adoptees: &[Adoptee]) {
        let done = self.engine().adopt(adoptees);
        let databases = adoptees.iter().map(|each| (each.name.clone(), each.snapshot.clone()));
        self.settle_adoption(done, Op::Adopt { databases: databases.collect() });
    }

    /// Gives an archive another number of rows, as `resize` does.
    pub(crate) fn resize(&mut self, name: &str, archive: usize, rows: u64) {
        let resized = |old: &Snapshot| {
            let mut room = Room::of_bytes(1 << 30);
            rrd::refill::resize(old.clone(), archive, RowChange::To(rows), &mut room).unwrap()
        };
        let done = self.engine().remake(name, |old| Ok(resized(old)));
        let after = resized(&self.live.databases[name]);
        self.settle_adoption(done, Op::Adopt { databases: vec![(name.into(), after)] });
    }

    /// What became of databases that came in whole. After a failure only an opening tells: the
    /// catalogue may have them.
    fn settle_adoption(&mut self, done: Result<(), Error>, op: Op) {
        match done {
            Ok(()) => {
                self.happened(op);
                self.acknowledge();
            }
            Err(error) => {
                self.assert_of_the_machine(&error);
                self.stopped |= self.engine().report().stopped;
                self.doubtful.push((self.pending.len(), op));
            }
        }
    }
}
