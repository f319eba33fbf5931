//! Segments that an opening did not look at.

use super::LogPosition;
use super::segment::Slot;

/// Segments that were not looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unseen {
    /// Nobody needs what lies before.
    pub(super) keep_from: LogPosition,
    /// The segment that was begun last when the log was read.
    pub(super) begun: Slot,
}
