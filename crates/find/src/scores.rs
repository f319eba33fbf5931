//! A byte of score for each document.

use crate::postings::runs;

/// The scores of all documents; 0 means that one does not match.
#[derive(Clone, Debug)]
pub(crate) struct Scores(Vec<u8>);

impl Scores {
    /// No document matches.
    pub(crate) fn none(count: usize) -> Self {
        Self(vec![0; count])
    }

    /// The documents that are accepted match, and are all alike.
    pub(crate) fn of(count: usize, accepts: impl Fn(u32) -> bool) -> Self {
        let all = u32::try_from(count).unwrap_or(u32::MAX);
        Self((0..all).map(|document| u8::from(accepts(document))).collect())
    }

    /// The documents of a list have at least this score.
    pub(crate) fn raise(&mut self, list: &[u8], score: u8) {
        for run in runs(list) {
            for place in self.0.get_mut(run).unwrap_or_default() {
                *place = (*place).max(score);
            }
        }
    }

    /// Whether no document matches.
    pub(crate) fn are_none(&self) -> bool {
        self.0.iter().all(|score| *score == 0)
    }

    /// Only the documents that match both here and there, with the sum of both scores.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, score) in self.0.iter_mut().zip(&other.0) {
            let matches = *sum != 0 && *score != 0;
            *sum = if matches { sum.saturating_add(*score) } else { 0 };
        }
    }

    /// The score of each document.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u8> {
        self.0.iter().copied()
    }
}
