//! The end of a log that was read without being opened for writing.

use super::chain::Found;
use super::last_frames::LastFrames;
use super::last_use::LastUse;
use super::look::Looked;

/// The end of a log that was read, from which it goes on.
pub(super) struct ReadEnd {
    /// The last frames, which lie in the segment that was begun last.
    pub(super) last: LastFrames,
    pub(super) begun: LastUse,
    /// The number of the note that says so.
    pub(super) number: u64,
}

impl std::fmt::Debug for ReadEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadEnd").field("begun", &self.begun).finish_non_exhaustive()
    }
}

impl ReadEnd {
    /// The end that was found; `None` where the segment that was begun last is not sound or does
    /// not hold it, so that the log has to be opened and mended.
    pub(super) fn of(
        looked: &Looked,
        last: Option<LastFrames>,
        noted: Option<(u64, LastUse)>,
        block_bytes: usize,
    ) -> Option<Self> {
        let (last, (number, begun)) = (last?, noted?);
        let Found { segment, offset_bytes, .. } = *looked.found.last()?;
        let is_begun = (segment.sequence, segment.slot) == (begun.sequence, begun.slot);
        let is_sound = offset_bytes == block_bytes && looked.is_whole(segment.slot);
        (is_begun && is_sound && last.segment == segment).then_some(Self { last, begun, number })
    }
}
