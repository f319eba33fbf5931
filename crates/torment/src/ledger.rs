//! What was asked for each database, in order, and how much of it was acknowledged.
//!
//! ```text
//! history:  created  update  update  tune   update
//!           '-------- acknowledged ------'  '- in or not: whoever asked never heard -'
//! ```

use std::path::PathBuf;

use crate::world::{Member, Readings, START_SECONDS, World};

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
    /// Whether gyre has all changes though it refused to acknowledge the last one: it said so when it
    /// was asked for it again.
    pub(crate) is_kept: bool,
    pub(crate) readings: Readings,
}

impl Entry {
    /// Of a database that does not exist yet.
    pub(crate) fn new(nth: usize, member: &Member) -> Self {
        let (history, readings) = (Vec::new(), Readings::default());
        Self { nth, member: member.clone(), history, acknowledged: 0, is_kept: false, readings }
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

    /// The first so many changes happened, and no other.
    pub(crate) fn settle(&mut self, changes: usize) {
        assert!(changes >= self.acknowledged, "what was acknowledged happened");
        self.history.truncate(changes);
        self.acknowledge();
    }
}

/// An entry for each database of a world.
pub(crate) fn entries(world: &World) -> Vec<Entry> {
    world.members.iter().enumerate().map(|(nth, member)| Entry::new(nth, member)).collect()
}
