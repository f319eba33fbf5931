//! What was asked for each database, in order, and how much of it was acknowledged.
//!
//! ```text
//! history:  created  update  update  tune   update
//!           '-------- acknowledged ------'  '- in or not: whoever asked never heard -'
//! ```

use std::path::PathBuf;

use crate::world::{Kept, Member, Readings, START_SECONDS, World};

/// Something that was asked for a database.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It was made anew, in place of what had its name; the words are those behind the name.
    Create {
        words: String,
        start_seconds: i64,
    },
    /// One update by some samples, of which the last one is of this time.
    Update {
        values: Vec<String>,
        last_seconds: i64,
    },
    /// It was tuned: the words behind the name.
    Tune {
        words: String,
    },
    /// `resize` with these words behind the name.
    Resize {
        words: String,
    },
    /// A file took its place: a copy of what it was when its last sample was of this time.
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
    /// So many of the changes were acknowledged.
    pub(crate) acknowledged: usize,
    /// Whether gyre has all changes though it refused to acknowledge the last one: it said so when
    /// it was asked for it again.
    pub(crate) is_kept: bool,
    /// Whether it is a file on a disk that loses what nobody waited for.
    pub(crate) may_not_be_durable: bool,
    /// Whether FORGET was sent and nobody heard what it left: of the updates at the end any may be
    /// gone.
    pub(crate) may_have_forgotten: bool,
    /// Whether some samples of an update are as good as several updates.
    pub(crate) may_be_split: bool,
    pub(crate) readings: Readings,
}

impl Entry {
    /// Of a database that does not exist yet.
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

    /// Its name once so many changes happened.
    pub(crate) fn name_after(&self, changes: usize) -> &str {
        let renamed = self.history[..changes].iter().rev().find_map(|change| match change {
            Change::Rename { to } => Some(to.as_str()),
            _ => None,
        });
        renamed.unwrap_or(&self.member.name)
    }

    /// Its name now.
    pub(crate) fn name(&self) -> &str {
        self.name_after(self.history.len())
    }

    /// Whether it is there once so many changes happened.
    pub(crate) fn exists_after(&self, changes: usize) -> bool {
        changes > 0 && !matches!(self.history[changes - 1], Change::Delete)
    }

    /// Whether it is there now.
    pub(crate) fn exists(&self) -> bool {
        self.exists_after(self.history.len())
    }

    /// The time of its last sample.
    pub(crate) fn last_seconds(&self) -> i64 {
        self.seconds_after(self.history.len())
    }

    /// That once so many changes happened.
    pub(crate) fn seconds_after(&self, changes: usize) -> i64 {
        let last = self.history[..changes].iter().rev().find_map(|change| match change {
            Change::Create { start_seconds: seconds, .. }
            | Change::Update { last_seconds: seconds, .. }
            | Change::Replace { last_seconds: seconds, .. } => Some(*seconds),
            _ => None,
        });
        last.unwrap_or(START_SECONDS)
    }

    /// Whether something was asked of which nobody heard what became of it.
    pub(crate) fn is_open(&self) -> bool {
        self.acknowledged < self.history.len()
    }

    /// All that was asked was acknowledged.
    pub(crate) fn acknowledge(&mut self) {
        self.acknowledged = self.history.len();
        self.is_kept = false;
    }

    /// So many changes happened at least: those that were acknowledged, but for updates that were
    /// forgotten.
    pub(crate) fn changes_min(&self) -> usize {
        let acknowledged = &self.history[..self.acknowledged];
        let is_kept = |change: &Change| !matches!(change, Change::Update { .. });
        match self.may_have_forgotten {
            true => acknowledged.iter().rposition(is_kept).map_or(0, |nth| nth + 1),
            false => self.acknowledged,
        }
    }

    /// What came behind so many changes is as if nobody had asked for it.
    pub(crate) fn forget(&mut self, changes: usize) {
        self.may_have_forgotten = false;
        self.history.truncate(changes);
        self.acknowledge();
    }

    /// Takes updates of which nobody heard apart into one for each of their samples: a kill may
    /// come between two of them. Where seasons are smoothed at the end of a command they stay
    /// whole.
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

    /// The first so many changes happened, and no other.
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
