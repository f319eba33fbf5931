//! The segments: which are in use, which are free, where the next frame goes.

use std::collections::{BTreeMap, VecDeque};

use disk::{Medium, MediumFile as _};

use super::chain::LastFrame;
use super::segment::{self, Slot};
use super::tail::Batch;
use super::{JournalError, JournalOptions, LogPosition, frame};

/// A segment that holds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) slot: Slot,
    /// Which use of a slot this is, counted over all slots.
    pub(super) sequence: u64,
    /// The position of its first record. It replaces what earlier segments hold from there on.
    pub(super) first: LogPosition,
}

/// The segments and their files.
#[derive(Debug)]
pub(super) struct Writer<M: Medium> {
    pub(super) medium: M,
    pub(super) options: JournalOptions,
    pub(super) files: BTreeMap<Slot, M::File>,
    /// In the order of their sequence.
    pub(super) live: VecDeque<Segment>,
    /// The one that has been free longest is used next.
    pub(super) free: VecDeque<Slot>,
    pub(super) next_sequence: u64,
    /// Where the next frame goes in the last live segment; `None` if it takes no more.
    open_offset_bytes: Option<usize>,
    /// The checkpoints, oldest first, whose records are kept.
    checkpoints: VecDeque<LogPosition>,
    /// A vector to use again.
    pub(super) room: Vec<u8>,
}

impl<M: Medium> Writer<M> {
    pub(super) fn new(
        medium: M,
        options: JournalOptions,
        checkpoints: impl IntoIterator<Item = LogPosition>,
    ) -> Self {
        Self {
            medium,
            options,
            files: BTreeMap::new(),
            live: VecDeque::new(),
            free: VecDeque::new(),
            next_sequence: 1,
            open_offset_bytes: None,
            checkpoints: checkpoints.into_iter().collect(),
            room: Vec::new(),
        }
    }

    /// Writes a batch as one frame and waits until it is durable. On failure the batch is as it
    /// was, and the next frame goes to a fresh segment.
    pub(super) fn write(&mut self, batch: &mut Batch) -> Result<(), JournalError> {
        let bytes = batch.bytes.len();
        let frame_bytes = bytes.next_multiple_of(self.options.block_bytes);
        let open = self.open_offset_bytes.take();
        let written = match open.filter(|at| at + frame_bytes <= self.options.segment_bytes) {
            Some(offset_bytes) => self.write_on(batch, offset_bytes),
            None => self.write_fresh(batch),
        };
        batch.bytes.truncate(bytes);
        self.open_offset_bytes = Some(written? + frame_bytes);
        Ok(())
    }

    /// Makes the frame that ends the log durable, before anything else is written.
    ///
    /// In place: the same bytes again harm nothing, wherever a crash stops them, and this may be
    /// the only copy that is on disk. A fresh segment is for where that fails.
    pub(super) fn write_again(&mut self, mut last: LastFrame) -> Result<(), JournalError> {
        assert!(self.live.is_empty() && self.open_offset_bytes.is_none());
        assert!(last.segment.sequence < self.next_sequence);
        let bytes = last.batch.bytes.len();
        let end_bytes = last.offset_bytes + bytes.next_multiple_of(self.options.block_bytes);
        let written = self
            .write_frame(last.segment, &mut last.batch, last.offset_bytes)
            .and_then(|()| self.wipe(last.segment.slot, end_bytes));
        if written.is_ok() {
            self.open_offset_bytes = Some(end_bytes);
            return Ok(());
        }
        last.batch.bytes.truncate(bytes);
        self.write(&mut last.batch)
    }

    /// Takes away the start of a torn frame. Else the next frame there, torn in its turn, could
    /// bring what the first one lacks: records would appear that were lost for good.
    pub(super) fn wipe(&self, slot: Slot, offset_bytes: usize) -> Result<(), JournalError> {
        if offset_bytes == self.options.segment_bytes {
            return Ok(());
        }
        let file = &self.files[&slot];
        let zeros = vec![0; self.options.block_bytes];
        file.write_at(&zeros, offset_bytes as u64).map_err(slot.io("writing"))?;
        file.sync_data().map_err(slot.io("syncing"))
    }

    /// Writes into the last live segment; returns where.
    fn write_on(&self, batch: &mut Batch, offset_bytes: usize) -> Result<usize, JournalError> {
        let segment = *self.live.back().expect("the open segment is a live one");
        self.write_frame(segment, batch, offset_bytes)?;
        Ok(offset_bytes)
    }

    /// Writes into a segment that holds nothing of use; returns where.
    fn write_fresh(&mut self, batch: &mut Batch) -> Result<usize, JournalError> {
        let slot = self.fresh_slot()?;
        let segment = Segment { slot, sequence: self.next_sequence, first: batch.first };
        self.next_sequence += 1;
        let offset_bytes = self.options.block_bytes;
        if let Err(error) = self.write_frame(segment, batch, offset_bytes) {
            // Last in the queue: another segment may have better luck.
            self.free.push_back(slot);
            return Err(error);
        }
        self.drop_replaced(segment.first);
        self.live.push_back(segment);
        Ok(offset_bytes)
    }

    fn write_frame(
        &self,
        segment: Segment,
        batch: &mut Batch,
        offset_bytes: usize,
    ) -> Result<(), JournalError> {
        assert!(offset_bytes >= self.options.block_bytes, "the format block stays");
        frame::seal(&mut batch.bytes, segment.sequence, batch.first, self.options.block_bytes);
        assert!(offset_bytes + batch.bytes.len() <= self.options.segment_bytes);
        let file = &self.files[&segment.slot];
        file.write_at(&batch.bytes, offset_bytes as u64).map_err(segment.slot.io("writing"))?;
        file.sync_data().map_err(segment.slot.io("syncing"))
    }

    /// Frees the last segments if all that they hold is written again from `first` on.
    pub(super) fn drop_replaced(&mut self, first: LogPosition) {
        while let Some(replaced) = self.live.pop_back_if(|segment| segment.first >= first) {
            self.free.push_back(replaced.slot);
        }
    }

    fn fresh_slot(&mut self) -> Result<Slot, JournalError> {
        if self.free.is_empty() {
            self.add_segment()?;
        }
        Ok(self.free.pop_front().expect("one was just made"))
    }

    /// Makes one more segment.
    pub(super) fn add_segment(&mut self) -> Result<(), JournalError> {
        let slot = Slot(self.files.keys().last().map_or(0, |last| last.0 + 1));
        let made = segment::make(&self.medium, slot, &self.options)
            .and_then(|file| self.sync_names().map(|()| file));
        match made {
            Ok(file) => {
                self.files.insert(slot, file);
                self.free.push_back(slot);
                Ok(())
            }
            Err(error) => {
                let _ = self.medium.remove(&slot.name()); // else the next attempt takes it over
                Err(error)
            }
        }
    }

    pub(super) fn sync_names(&self) -> Result<(), JournalError> {
        self.medium.sync_directory().map_err(JournalError::io("syncing", "the journal's directory"))
    }

    /// Frees what lies before the checkpoint, but for the intervals that are kept.
    pub(super) fn free_before(&mut self, checkpoint: LogPosition) -> usize {
        let latest = self.checkpoints.back().copied().unwrap_or_default();
        assert!(checkpoint >= latest, "checkpoints move on");
        self.checkpoints.push_back(checkpoint);
        while self.checkpoints.len() > self.options.intervals_kept + 1 {
            self.checkpoints.pop_front();
        }
        // Until there are as many, the first one ever is the oldest that anybody may ask for.
        self.free_segments_before(self.checkpoints[0])
    }

    pub(super) fn free_segments_before(&mut self, position: LogPosition) -> usize {
        let before = self.free.len();
        while self.live.get(1).is_some_and(|next| next.first <= position) {
            let freed = self.live.pop_front().expect("there are two");
            self.free.push_back(freed.slot);
        }
        self.free.len() - before
    }

    pub(super) fn segments(&self) -> (usize, usize) {
        (self.files.len(), self.free.len())
    }
}
