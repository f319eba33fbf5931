//! A log that was opened to be read goes on: its end is made durable, and what is appended follows
//! it in the same segment. The other segments are looked at when a fresh one is needed.

use disk::Medium;

use super::read_end::ReadEnd;
use super::recover::{clear_unused, take_used};
use super::seen::SeenSegments;
use super::unseen::Unseen;
use super::writer::Writer;
use super::{JournalError, LogPosition};

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
        let seen = SeenSegments::of(&*self.medium, &self.options)?;
        let looked = self.take_seen(seen);
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
