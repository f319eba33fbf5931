//! Samples that were taken though their client was told that they may be lost.
//!
//! Where the log cannot be written, nobody knows what of it is on the disk, so the samples stay in
//! memory and in the log. A client that was told so repeats them. The repetition of such a sample is
//! taken as if it were the first: it must not be refused for its time, which is that of the sample
//! which is there already.

use super::Core;
use super::append::{CacheUpdate, Failure};
use super::entry::EntryState;

/// The samples of one file, oldest first.
#[derive(Debug, Default)]
pub(super) struct Doubtful {
    values: Vec<String>,
}

impl EntryState {
    /// Whether a value is one of these. It counts as acknowledged from then on.
    pub(super) fn repeats(&mut self, value: &str) -> bool {
        let Some(doubtful) = &mut self.doubtful else { return false };
        let Some(at) = doubtful.values.iter().position(|known| known == value) else {
            return false;
        };
        doubtful.values.remove(at);
        if doubtful.values.is_empty() {
            self.doubtful = None;
        }
        true
    }

    fn doubt(&mut self, values: &[&str]) {
        let doubtful = self.doubtful.get_or_insert_default();
        for value in values {
            if !doubtful.values.iter().any(|known| known == value) {
                doubtful.values.push((*value).to_owned());
            }
        }
    }
}

impl Core {
    /// Notes which samples of these updates were taken, all or those before a refused one, and are
    /// not acknowledged.
    pub(super) fn doubt(&self, updates: &[CacheUpdate<'_>], failures: &[(usize, Failure)]) {
        for (nth, update) in updates.iter().enumerate() {
            let failure = failures.iter().find(|(failed, _)| *failed == nth);
            let taken = failure.map_or(update.values.len(), |(_, failure)| failure.values_taken);
            let values = &update.values[..taken];
            if !values.is_empty() {
                self.hold_known(update.path, |_, mut state| state.doubt(values));
            }
        }
    }
}
