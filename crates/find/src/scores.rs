//! A byte of score for each document.

use crate::postings::runs;

/// So many scores are looked at together, to see whether there are any.
const STRETCH: usize = 4096;
/// So many fit into a word of the processor.
const WORD: usize = size_of::<u64>();

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
        // All of a stretch are put together without a look at each, for which there are
        // instructions.
        let any = |scores: &[u8]| scores.iter().fold(0, |all, score| all | score) != 0;
        !self.0.chunks(STRETCH).any(any)
    }

    /// Only the documents that match both here and there, with the sum of both scores.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, score) in self.0.iter_mut().zip(&other.0) {
            let matches = *sum != 0 && *score != 0;
            *sum = if matches { sum.saturating_add(*score) } else { 0 };
        }
    }

    /// Tells the documents that match, each with its score.
    pub(crate) fn each_matching(&self, mut take: impl FnMut(usize, u8)) {
        for (scores, first) in self.0.chunks(WORD).zip((0..).step_by(WORD)) {
            // Mostly few documents match: eight that do not are passed over at once.
            let word: Option<[u8; WORD]> = scores.try_into().ok();
            if word.is_some_and(|word| u64::from_ne_bytes(word) == 0) {
                continue;
            }
            for (score, document) in scores.iter().zip(first..) {
                if *score != 0 {
                    take(document, *score);
                }
            }
        }
    }
}
