//! Samples that were taken though their client was told that they may be lost.
//!
//! Where the log cannot be written, it is not known what of it is on the disk, so the samples stay
//! in memory and in the log. A client that was told so repeats them. The repetition of such a
//! sample is taken as if it were the first: it must not be refused for its time, which is that of
//! the sample which is there already.

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

    /// Notes that samples of an update were taken and are not acknowledged.
    pub(super) fn doubt(&mut self, values: &[&str]) {
        let doubtful = self.doubtful.get_or_insert_default();
        for value in values {
            if !doubtful.values.iter().any(|known| known == value) {
                doubtful.values.push((*value).to_owned());
            }
        }
    }
}
