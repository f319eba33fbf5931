//! More text than an index holds.

/// An index cannot have more than 4 GiB of texts or lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is more text than a search index can hold, which is 4 GiB")]
pub struct TooLarge;
