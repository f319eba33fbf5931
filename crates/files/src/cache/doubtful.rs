//! Samples that were taken though their client was told that they may be lost.
//!
//! Where the log cannot be written, it is not known what of it is on the disk, so the samples stay
//! in memory and in the log. A client that was told so repeats them. The repetition of such a
//! sample is taken as if it were the first: it must not be refused for its time, which is that of
//! the sample which is there already.

/// The samples of one file, oldest first.
#[derive(Debug, Default)]
pub(super) struct Doubtful {
    values: Vec<String>,
}

impl Doubtful {
    /// Takes a value that was taken and is not acknowledged.
    pub(super) fn add(&mut self, value: &str) {
        if !self.values.iter().any(|known| known == value) {
            self.values.push(value.to_owned());
        }
    }

    /// Whether a value is one of these. It counts as acknowledged from then on.
    pub(super) fn remove(&mut self, value: &str) -> bool {
        let found = self.values.iter().position(|known| known == value);
        found.map(|nth| self.values.remove(nth)).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
