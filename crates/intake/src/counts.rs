//! What became of samples.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering};

/// What became of samples, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Stored.
    pub taken: u64,
    /// Not after the last one of their databases: repeated or late.
    pub late: u64,
    /// Of the future, or of a kind that their databases do not take.
    pub refused: u64,
    /// Of series that cannot have a database: their names cannot be ones, or there are too many.
    pub unmade: u64,
    /// Of series that a rule drops.
    pub dropped: u64,
    /// Of databases that the sender may not reach.
    pub forbidden: u64,
    /// Lost to an error of the store, or taken when they are sent again.
    pub failed: u64,
    /// Databases that were made.
    pub made: u64,
}

impl Add for Outcomes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            taken: self.taken + other.taken,
            late: self.late + other.late,
            refused: self.refused + other.refused,
            unmade: self.unmade + other.unmade,
            dropped: self.dropped + other.dropped,
            forbidden: self.forbidden + other.forbidden,
            failed: self.failed + other.failed,
            made: self.made + other.made,
        }
    }
}

/// What became of the samples of a protocol since the start.
#[derive(Debug, Default)]
pub struct Counts {
    taken: AtomicU64,
    late: AtomicU64,
    refused: AtomicU64,
    unmade: AtomicU64,
    dropped: AtomicU64,
    forbidden: AtomicU64,
    failed: AtomicU64,
    made: AtomicU64,
    wrong: AtomicU64,
}

impl Counts {
    /// Adds what became of a batch.
    pub fn add(&self, outcomes: &Outcomes) {
        let Outcomes { taken, late, refused, unmade, dropped, forbidden, failed, made } = *outcomes;
        for (count, more) in [
            (&self.taken, taken),
            (&self.late, late),
            (&self.refused, refused),
            (&self.unmade, unmade),
            (&self.dropped, dropped),
            (&self.forbidden, forbidden),
            (&self.failed, failed),
            (&self.made, made),
        ] {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// Adds lines or messages that could not be read.
    pub fn add_wrong(&self, wrong: u64) {
        self.wrong.fetch_add(wrong, Ordering::Relaxed);
    }

    /// What became of samples until now.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Outcomes {
            taken: read(&self.taken),
            late: read(&self.late),
            refused: read(&self.refused),
            unmade: read(&self.unmade),
            dropped: read(&self.dropped),
            forbidden: read(&self.forbidden),
            failed: read(&self.failed),
            made: read(&self.made),
        }
    }

    /// Lines or messages that could not be read.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.wrong.load(Ordering::Relaxed)
    }
}
