//! What a caller wants of a log that is there already.

use super::LogPosition;

/// What is wanted of the log that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Where the caller wants to read on: the position of its checkpoint.
    pub from: LogPosition,
    /// The position of the oldest checkpoint that it may fall back on; what lies before is free.
    pub keep_from: LogPosition,
}
