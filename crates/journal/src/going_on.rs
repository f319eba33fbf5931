//! A log that was opened to be read goes on: its end is made durable, and what is appended follows
//! it in the same segment. The other segments are looked at when a fresh one is needed.

use disk::Medium;

use super::chain::{Found, LastFrames};
use super::last_use::LastUse;
use super::look::Looked;
use super::recover::{clear_unused, look_at_all, take_used};
use super::segment::Slot;
use super::writer::Writer;
use super::{JournalError, LogPosition};

/// The end of a log that was read, from which it goes on.
pub(super) struct ReadEnd {
    /// The last frames, which lie in the segment that was begun last.
    last: LastFrames,
    begun: LastUse,
    /// The number of the note that says so.
    number: u64,
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
        let Found { segment, offset_bytes } = *looked.found.last()?;
        let is_begun = (segment.sequence, segment.slot) == (begun.sequence, begun.slot);
        let is_sound = offset_bytes == block_bytes && looked.is_whole(segment.slot);
        (is_begun && is_sound && last.segment == segment).then_some(Self { last, begun, number })
    }
}

/// Segments that were not looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unseen {
    /// Nobody needs what lies before.
    keep_from: LogPosition,
    /// The segment that was begun last when the log was read.
    begun: Slot,
}

impl<M: Medium> Writer<M> {
    /// Goes on with a log that was read.
    pub(super) fn go_on(
        &mut self,
        end: ReadEnd,
        keep_from: LogPosition,
    ) -> Result<(), JournalError> {
        let ReadEnd { last, begun, number } = end;
        let segment = last.segment;
        self.next_sequence = begun.sequence + 1;
        self.last_use_number = number;
        self.unseen = Some(Unseen { keep_from, begun: begun.slot });
        self.write_again(last)?;
        if self.live.is_empty() {
            self.live.push_back(segment);
        }
        self.note_opened(Some(begun))
    }

    /// Finds the free segments, where not all were looked at yet.
    pub(super) fn look_at_unseen(&mut self) -> Result<(), JournalError> {
        let Some(Unseen { keep_from, begun }) = self.unseen else { return Ok(()) };
        self.free.clear();
        let looked = look_at_all(self)?;
        if let Some(open) = self.live.back()
            && looked.found.last().map(|newest| newest.segment) != Some(*open)
        {
            let expected = "the segment that was begun last";
            return Err(open.slot.damaged(self.options.block_bytes, expected, "another"));
        }
        looked.mend(self)?;
        clear_unused(self, &looked, Some(begun))?;
        // While the last frames are not durable any segment that holds them may be the one that is.
        if !self.live.is_empty() {
            self.live.clear();
            take_used(self, &looked.found, keep_from);
        }
        self.unseen = None;
        Ok(())
    }
}
