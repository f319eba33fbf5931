//! Updates that are taken without waiting for a file.

use crate::Refused;

/// What became of updates that were to be taken at once. All others are acknowledged.
#[derive(Debug, Default)]
pub struct AtOnce {
    /// The failures with their positions in the batch, in order, as of [`crate::Store::update`].
    pub refused: Vec<(usize, Refused)>,
    /// The positions of the updates of which nothing was taken, in order: they have to wait.
    pub left: Vec<usize>,
}

impl AtOnce {
    /// None of so many updates was taken.
    #[must_use]
    pub fn none(count: usize) -> Self {
        Self { refused: Vec::new(), left: (0..count).collect() }
    }
}
