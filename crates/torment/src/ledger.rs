//! The requested changes of each database, in order, and how many were acknowledged.
//!
//! ```text
//! history:  created  update  update  tune   update
//!           '-------- acknowledged ------'  '- applied or not: no reply was received -'
//! ```

use std::path::PathBuf;

use crate::world::{Kept, Member, Readings, START_SECONDS, World};

/// A requested change of a database.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It was created, and replaced a database of the same name; the words after the name.
    Create {
        words: String,
        start_seconds: i64,
    },
    /// An update with some samples; the time of the last one.
    Update {
        values: Vec<String>,
        last_seconds: i64,
    },
    /// `tune`; the words after the name.
    Tune {
        words: String,
    },
    /// `resize`; the words after the name.
    Resize {
        words: String,
    },
    /// A file replaced it: a copy of its state when its last sample had this time.
    Replace {
        file: PathBuf,
        last_seconds: i64,
    },
    Rename {
        to: String,
    },
    Delete,
}

/// One database.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its number in the world.
    pub(crate) nth: usize,
    pub(crate) member: Member,
    pub(crate) history: Vec<Change>,
    /// How many changes were acknowledged.
    pub(crate) acknowledged: usize,
    /// Whether gyre has applied all changes, although it refused to acknowledge the last one: it
    /// reported so when the change was requested again.
    pub(crate) is_kept: bool,
    /// Whether it is a file on a disk that loses writes without a sync.
    pub(crate) may_not_be_durable: bool,
    /// Whether FORGET was sent without a reply: any of the last updates may be lost.
    pub(crate) may_have_forgotten: bool,
    /// Whether an update of some samples is equivalent to several updates.
    pub(crate) may_be_split: bool,
    pub(crate) readings: Readings,
}

impl Entry {
    /// An entry for a database that does not exist yet.
    pub(crate) fn new(nth: usize, member: &Member, world: &World, kept: Kept) -> Self {
        Self {
            nth,
            member: member.clone(),
            history: Vec::new(),
            acknowledged: 0,
            is_kept: false,
            may_not_be_durable: kept == Kept::Files && (world.is_cut || world.is_failing),
            may_have_forgotten: false,
            may_be_split: !world.layouts[member.layout].forecasts(),
            readings: Readings::default(),
        }
    }

    /// Its name after this many changes.
    pub(crate) fn name_after(&self, changes: usize) -> &str {
        let renamed = self.history[..changes].iter().rev().find_map(|change| match change {
            Change::Rename { to } => Some(to.as_str()),
            _ => None,
        });
        renamed.unwrap_or(&self.member.name)
    }

    /// Its present name.
    pub(crate) fn name(&self) -> &str {
        self.name_after(self.history.len())
    }

    /// Whether it exists after this many changes.
    pub(crate) fn exists_after(&self, changes: usize) -> bool {
        changes > 0 && !matches!(self.history[changes - 1], Change::Delete)
    }

    /// Whether it exists at present.
    pub(crate) fn exists(&self) -> bool {
        self.exists_after(self.history.len())
    }

    /// The time of its last sample.
    pub(crate) fn last_seconds(&self) -> i64 {
        self.seconds_after(self.history.len())
    }

    /// The time of its last sample after this many changes.
    pub(crate) fn seconds_after(&self, changes: usize) -> i64 {
        let last = self.history[..changes].iter().rev().find_map(|change| match change {
            Change::Create { start_seconds: seconds, .. }
            | Change::Update { last_seconds: seconds, .. }
            | Change::Replace { last_seconds: seconds, .. } => Some(*seconds),
            _ => None,
        });
        last.unwrap_or(START_SECONDS)
    }

    /// Whether it has requested changes without a reply.
    pub(crate) fn is_open(&self) -> bool {
        self.acknowledged < self.history.len()
    }

    /// Marks all requested changes as acknowledged.
    pub(crate) fn acknowledge(&mut self) {
        self.acknowledged = self.history.len();
        self.is_kept = false;
    }

    /// The least number of changes that must have been applied: the acknowledged ones, without
    /// forgotten updates.
    pub(crate) fn changes_min(&self) -> usize {
        let acknowledged = &self.history[..self.acknowledged];
        let is_kept = |change: &Change| !matches!(change, Change::Update { .. });
        match self.may_have_forgotten {
            true => acknowledged.iter().rposition(is_kept).map_or(0, |nth| nth + 1),
            false => self.acknowledged,
        }
    }

    /// Drops the changes after this number, as if they had not been requested.
    pub(crate) fn forget(&mut self, changes: usize) {
        self.may_have_forgotten = false;
        self.history.truncate(changes);
        self.acknowledge();
    }

    /// Splits unacknowledged updates into one for each sample, because a kill may come between two
    /// samples. They stay whole if seasons are smoothed at the end of a command.
    pub(crate) fn split_open_updates(&mut self) {
        if !self.may_be_split {
            return;
        }
        for change in self.history.split_off(self.acknowledged) {
            let Change::Update { values, .. } = change else {
                self.history.push(change);
                continue;
            };
            self.history.extend(values.into_iter().map(|value| {
                let seconds = value.split(':').next().and_then(|text| text.parse().ok());
                let last_seconds = seconds.expect("a sample begins with its time");
                Change::Update { values: vec![value], last_seconds }
            }));
        }
    }

    /// Records that exactly this many changes were applied.
    pub(crate) fn settle(&mut self, changes: usize) {
        assert!(changes >= self.changes_min(), "what was acknowledged happened");
        self.forget(changes);
    }
}

/// An entry for each database of a world.
pub(crate) fn entries(world: &World, kept: Kept) -> Vec<Entry> {
    let members = world.members.iter().enumerate();
    members.map(|(nth, member)| Entry::new(nth, member, world, kept)).collect()
}

#[cfg(test)]
mod tests {
    use disk::Random;

    use super::{Change, entries};
    use crate::world::{Kept, World};

    #[test]
    fn what_was_not_acknowledged_may_be_gone_and_nothing_else() {
        let world = World::new(false, false, &mut Random::new(1));
        let mut entry = entries(&world, Kept::Ring).remove(0);
        assert!(!entry.exists());
        entry.history.push(Change::Create { words: String::new(), start_seconds: 1 });
        entry.acknowledge();
        let values = ["2:1", "3:1"].map(str::to_owned).into();
        entry.history.push(Change::Update { values, last_seconds: 3 });
        entry.history.push(Change::Rename { to: "b".into() });
        assert!(entry.is_open() && entry.exists());
        assert_eq!((entry.name(), entry.last_seconds()), ("b", 3));
        entry.may_be_split = true;
        entry.split_open_updates();
        assert_eq!(entry.history.len(), 4);
        entry.settle(2);
        assert_eq!((entry.name(), entry.last_seconds()), (entry.member.name.as_str(), 2));
        assert!(!entry.is_open());
        entry.history.push(Change::Delete);
        assert!(!entry.exists() && entry.exists_after(2));
    }
}
