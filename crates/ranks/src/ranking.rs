//! The answer to a question.

use std::sync::Arc;

/// The most subjects that are told.
pub const MOST: usize = 1000;

/// The subjects that are first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// They, the first one first.
    pub ranked: Vec<Ranked>,
    /// How many the question concerns.
    pub concerned: usize,
    /// Of how many of these the store gave no rows.
    pub unread: usize,
}

/// A subject and its values, in the units of its database; NaN is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Its name.
    pub name: Arc<str>,
    /// By what it is ranked: a rate, or a share of 1.
    pub score: f64,
    /// Its values.
    pub values: [f64; 2],
    /// The values of a week ago, where they were asked for.
    pub before: [f64; 2],
}

/// What is kept of a subject while others are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) position: usize,
    pub(crate) score: f64,
    pub(crate) values: [f64; 2],
    pub(crate) before: [f64; 2],
}

impl Candidate {
    pub(crate) fn named(self, name: Arc<str>) -> Ranked {
        Ranked { name, score: self.score, values: self.values, before: self.before }
    }
}

/// Equal scores are in the order of the subjects.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.position.cmp(&other.position)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position
    }
}

impl Eq for Candidate {}
