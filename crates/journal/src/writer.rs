//! The segments: which are in use, which are free, where the next frame goes.
#![expect(
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "broken state of our own asserts"
)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::{Medium, MediumFile as _};

use super::frame::FramePlace;
use super::last_frames::LastFrames;
use super::last_use::{LastUse, LastUseFile};
use super::segment::{Segment, SegmentFile, Site, Slot};
use super::tail::Batch;
use super::unseen::Unseen;
use super::{JournalError, JournalOptions, LogPosition, Start, frame};

/// After a failed sync so many fresh segments are tried for what was written.
const FRESH_TRIES: usize = 4;

/// When a frame becomes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncWhen {
    /// Before the write returns.
    Now,
    /// With a later one, or when its segment is left.
    Later,
}

/// A frame that takes no more than its block, and is not durable.
#[derive(Clone, Copy, Debug)]
struct Growing {
    offset_bytes: usize,
    first: LogPosition,
}

/// A sync of what is written, during which others write on.
#[derive(Debug)]
pub(super) struct SyncBeside<M: Medium> {
    slot: Slot,
    sequence: u64,
    /// All before here becomes durable.
    end: LogPosition,
    file: M::File,
}

impl<M: Medium> SyncBeside<M> {
    pub(super) fn wait(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(self.slot.io("syncing"))
    }
}

/// The segments and their files.
#[derive(Debug)]
pub(super) struct Writer<M: Medium> {
    pub(super) medium: Arc<M>,
    pub(super) options: JournalOptions,
    pub(super) files: BTreeMap<Slot, SegmentFile<M::File>>,
    /// In the order of their sequence.
    pub(super) live: VecDeque<Segment>,
    /// The one that has been free longest is used next.
    pub(super) free: VecDeque<Slot>,
    /// Segments that are being made beside the log.
    making: BTreeSet<Slot>,
    /// Segments that were not looked at, where the log was opened to be read.
    pub(super) unseen: Option<Unseen>,
    pub(super) next_sequence: u64,
    /// A segment was begun, so that a free one is less.
    pub(super) has_begun: Arc<AtomicBool>,
    /// Where the next frame goes in the last live segment; `None` if it takes no more.
    open_offset_bytes: Option<usize>,
    /// Up to here all is durable.
    pub(super) durable: LogPosition,
    /// What is written from there on. All of it lies in the last live segment; it is needed again
    /// if its sync fails.
    unsynced: Batch,
    /// The last frame, as long as it is not durable and may take more records in its block.
    growing: Option<Growing>,
    /// The checkpoints, oldest first, whose records are kept.
    checkpoints: VecDeque<LogPosition>,
    /// Where it is noted which segment was begun last; made with a later note while the disk is
    /// full.
    pub(super) last_use: Option<LastUseFile<M::File>>,
    /// The number of the note that was found at opening.
    pub(super) last_use_number: u64,
    /// The slot that was noted last.
    noted: Option<Slot>,
    /// A vector to use again.
    pub(super) room: Vec<u8>,
}

impl<M: Medium> Writer<M> {
    pub(super) fn new(medium: M, options: JournalOptions, start: Start) -> Self {
        // Where nothing more is kept than is asked for, the first call tells what that is.
        let fallback = [start.keep_from, start.from];
        let checkpoints = fallback.into_iter().take(options.intervals_kept + 1).collect();
        Self {
            medium: Arc::new(medium),
            options,
            files: BTreeMap::new(),
            live: VecDeque::new(),
            free: VecDeque::new(),
            making: BTreeSet::new(),
            unseen: None,
            next_sequence: 1,
            has_begun: Arc::default(),
            open_offset_bytes: None,
            durable: LogPosition(0),
            unsynced: Batch::empty(LogPosition(0)),
            growing: None,
            checkpoints,
            last_use: None,
            last_use_number: 0,
            noted: None,
            room: Vec::new(),
        }
    }

    /// Goes on after a log that is durable up to a position.
    pub(super) fn start_at(&mut self, durable: LogPosition) {
        (self.durable, self.unsynced) = (durable, Batch::empty(durable));
        self.growing = None;
    }

    /// Writes a batch as one frame, and waits until all is durable if that is asked for. On
    /// failure the batch has all that is not durable, and the next frame goes to a fresh segment.
    pub(super) fn write(&mut self, batch: &mut Batch, sync: SyncWhen) -> Result<(), JournalError> {
        let bytes = batch.bytes.len();
        let written = self.write_and_sync(batch, sync);
        batch.bytes.truncate(bytes);
        match written {
            Ok(SyncWhen::Now) => self.start_at(batch.end()),
            Ok(SyncWhen::Later) => self.unsynced.append(batch),
            Err(error) => {
                (self.open_offset_bytes, self.growing) = (None, None);
                let mut whole = std::mem::replace(&mut self.unsynced, Batch::empty(self.durable));
                whole.append(batch);
                *batch = whole;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Writes without a sync, into one fresh segment after the other if need be.
    pub(super) fn write_insistently(&mut self, batch: &mut Batch) -> Result<(), JournalError> {
        let mut written = self.write(batch, SyncWhen::Later);
        for _ in 1..FRESH_TRIES {
            written = written.or_else(|_| self.write(batch, SyncWhen::Later));
        }
        written
    }

    /// Writes; returns whether it had to sync.
    fn write_and_sync(
        &mut self,
        batch: &mut Batch,
        sync: SyncWhen,
    ) -> Result<SyncWhen, JournalError> {
        if batch.is_empty() {
            return self.sync_open().map(|()| SyncWhen::Now);
        }
        if self.begins_in_doubt() {
            // Behind a first frame that is torn, what an older use left could be taken for the log.
            self.sync_open()?;
        }
        if sync == SyncWhen::Later && self.grow(batch)? {
            return Ok(sync);
        }
        let frame_bytes = batch.bytes.len().next_multiple_of(self.options.block_bytes);
        let open_bytes = self.live.back().map_or(0, |open| self.files[&open.slot].bytes);
        let fits = |at: &usize| at + frame_bytes <= open_bytes;
        if let Some(offset_bytes) = self.open_offset_bytes.filter(fits) {
            let segment = *self.live.back().expect("the open segment is a live one");
            self.write_frame(segment, batch, offset_bytes, sync)?;
            self.open_offset_bytes = Some(offset_bytes + frame_bytes);
            let small = sync == SyncWhen::Later && frame_bytes == self.options.block_bytes;
            self.growing = small.then_some(Growing { offset_bytes, first: batch.first });
            return Ok(sync);
        }
        // What is in doubt lies in one segment: it fits one frame if it has to be written again.
        self.sync_open()?;
        let offset_bytes = self.write_fresh(batch, sync)?;
        self.open_offset_bytes = Some(offset_bytes + frame_bytes);
        Ok(sync)
    }

    /// Whether nothing in the last live segment is durable.
    fn begins_in_doubt(&self) -> bool {
        self.live.back().is_some_and(|last| last.first >= self.durable)
    }

    /// Adds a batch to the last frame, if that is not durable and its block has room: else each
    /// small write would take a block of its own.
    ///
    /// The whole frame is one write within a page, which the end of the process finds done or not
    /// begun.
    fn grow(&mut self, batch: &Batch) -> Result<bool, JournalError> {
        let Some(Growing { offset_bytes, first }) = self.growing else { return Ok(false) };
        let before = (first.0 - self.unsynced.first.0) as usize;
        let mut grown = Batch::empty(first);
        grown.bytes.reserve_exact(self.options.block_bytes);
        grown.extend(&self.unsynced.bytes[frame::HEADER_BYTES + before..]);
        grown.append(batch);
        if grown.bytes.len() > self.options.block_bytes {
            return Ok(false);
        }
        let Segment { slot, sequence, .. } =
            *self.live.back().expect("the growing frame lies in a live segment");
        let (place, frame_bytes) =
            (FramePlace { sequence, position: first, durable: self.durable }, grown.bytes.len());
        frame::seal(&mut grown.bytes, place, self.options.block_bytes);
        // The padding is there already.
        let written =
            self.files[&slot].file.write_at(&grown.bytes[..frame_bytes], offset_bytes as u64);
        written.map_err(slot.io("writing")).map(|()| true)
    }

    /// Makes durable what is written.
    fn sync_open(&mut self) -> Result<(), JournalError> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        let slot = self.live.back().expect("what is written lies in a live segment").slot;
        self.files[&slot].file.sync_data().map_err(slot.io("syncing"))?;
        self.start_at(self.unsynced.end());
        Ok(())
    }

    /// What a sync beside the log has to do; `None` if all is durable. From here on the last frame
    /// grows no more: growing, it could be torn after it was promised.
    pub(super) fn begin_sync(&mut self) -> Result<Option<SyncBeside<M>>, JournalError> {
        if self.unsynced.is_empty() {
            return Ok(None);
        }
        self.growing = None;
        let Segment { slot, sequence, .. } =
            *self.live.back().expect("what is written lies in a live segment");
        // Opened anew: a failure is told once to each that has the file open, and a process that
        // leaves the segment meanwhile must be told too.
        let file = self.medium.open(&slot.name()).map_err(slot.io("opening"))?;
        Ok(Some(SyncBeside { slot, sequence, end: self.unsynced.end(), file }))
    }

    /// Notes that it succeeded.
    pub(super) fn end_sync(&mut self, done: &SyncBeside<M>) {
        if self.is_in_doubt(done) {
            let durable_bytes = (done.end.0 - self.unsynced.first.0) as usize;
            let mut rest = Batch::empty(done.end);
            rest.extend(&self.unsynced.bytes[frame::HEADER_BYTES + durable_bytes..]);
            (self.durable, self.unsynced) = (done.end, rest);
        }
    }

    /// Notes that it failed. Gives all that is to be written again, into a fresh segment.
    pub(super) fn fail_sync(&mut self, failed: &SyncBeside<M>) -> Option<Batch> {
        self.is_in_doubt(failed).then(|| {
            (self.open_offset_bytes, self.growing) = (None, None);
            std::mem::replace(&mut self.unsynced, Batch::empty(self.durable))
        })
    }

    /// Whether what it was about was neither synced nor given up meanwhile.
    fn is_in_doubt(&self, sync: &SyncBeside<M>) -> bool {
        let is_open = self.live.back().is_some_and(|open| open.sequence == sync.sequence);
        is_open && self.unsynced.first < sync.end && sync.end <= self.unsynced.end()
    }

    /// Makes the frames that end the log durable, before anything else is written.
    ///
    /// In place: the same bytes again harm nothing, wherever a crash stops them, and this may be
    /// the only copy that is on disk. A fresh segment is for where that fails.
    pub(super) fn write_again(&mut self, last: LastFrames) -> Result<(), JournalError> {
        assert!(self.live.is_empty() && self.open_offset_bytes.is_none());
        assert!(last.segment.sequence < self.next_sequence);
        let slot = last.segment.slot;
        let end_bytes = last.offset_bytes + last.bytes.len();
        let file = &self.files[&slot].file;
        let written = file
            .write_at(&last.bytes, last.offset_bytes as u64)
            .map_err(slot.io("writing"))
            .and_then(|()| file.sync_data().map_err(slot.io("syncing")))
            .and_then(|()| self.wipe(slot, end_bytes..last.wipe_end_bytes));
        let mut batch = last.batch(self.options.block_bytes);
        if written.is_ok() {
            self.open_offset_bytes = Some(end_bytes);
            self.start_at(batch.end());
            return Ok(());
        }
        self.start_at(batch.first);
        self.write(&mut batch, SyncWhen::Now).inspect_err(|_| {
            // The log is not opened; the next opening shall find what this one found.
            let _ = self.write_insistently(&mut batch);
        })
    }

    /// Takes away the starts of torn frames. Else the next frame there, torn in its turn, could
    /// bring what the first one lacks: records would appear that were lost for good.
    pub(super) fn wipe(&self, slot: Slot, range: Range<usize>) -> Result<(), JournalError> {
        if range.is_empty() {
            return Ok(());
        }
        let file = &self.files[&slot].file;
        let zeros = vec![0; range.len()];
        file.write_at(&zeros, range.start as u64).map_err(slot.io("writing"))?;
        file.sync_data().map_err(slot.io("syncing"))
    }

    /// Writes into a segment that holds nothing of use; returns where.
    fn write_fresh(&mut self, batch: &mut Batch, sync: SyncWhen) -> Result<usize, JournalError> {
        let frame_bytes = batch.bytes.len().next_multiple_of(self.options.block_bytes);
        let slot = self.fresh_slot(frame_bytes)?;
        let segment = Segment { slot, sequence: self.next_sequence, first: batch.first };
        self.next_sequence += 1;
        self.has_begun.store(true, Ordering::Relaxed);
        let offset_bytes = self.options.block_bytes;
        let begun =
            LastUse { sequence: segment.sequence, slot, durable: batch.first, ended: false };
        // Noted first: should the segment be cut later, the note says that it may have held the
        // end.
        let written =
            self.note(begun).and_then(|()| self.write_frame(segment, batch, offset_bytes, sync));
        if let Err(error) = written {
            // Last in the queue: another segment may have better luck.
            self.free.push_back(slot);
            return Err(error);
        }
        self.drop_replaced(segment.first);
        self.live.push_back(segment);
        Ok(offset_bytes)
    }

    fn note(&mut self, last: LastUse) -> Result<(), JournalError> {
        self.noted = Some(last.slot);
        let is_first = self.last_use_number == 0;
        match self.open_last_use() {
            // A log without any note is as good, but for an end that goes missing later.
            Err(error) if is_first && error.is_lack_of_room() => Ok(()),
            file => file?.note(last),
        }
    }

    /// Opens the file of notes, unless it is open.
    pub(super) fn open_last_use(&mut self) -> Result<&mut LastUseFile<M::File>, JournalError> {
        match &mut self.last_use {
            Some(file) => Ok(file),
            none => Ok(none.insert(LastUseFile::open(&*self.medium, self.last_use_number)?)),
        }
    }

    /// At opening: notes where the log goes on, unless that stands there. Where an older note
    /// cannot be replaced on a full disk, the log goes on in a fresh segment, whose first frame is
    /// not written before its note is.
    pub(super) fn note_opened(&mut self, noted: Option<LastUse>) -> Result<(), JournalError> {
        let last = match (self.live.back(), self.open_offset_bytes) {
            (Some(Segment { slot, sequence, first }), Some(_)) => {
                LastUse { sequence: *sequence, slot: *slot, durable: *first, ended: false }
            }
            _ if self.durable == LogPosition(0) && noted.is_none() => return Ok(()),
            // Nothing was found up to here, and the next frame goes to a fresh segment.
            (newest, _) => {
                let slot = newest.map_or(Slot(0), |newest| newest.slot);
                LastUse {
                    sequence: self.next_sequence - 1,
                    slot,
                    durable: self.durable,
                    ended: true,
                }
            }
        };
        if noted == Some(last) {
            return Ok(());
        }
        match self.note(last) {
            Err(error) if error.is_lack_of_room() => {
                (self.open_offset_bytes, self.growing) = (None, None);
                Ok(())
            }
            noted => noted,
        }
    }

    /// Notes that the log ends here. The next frame goes to a fresh segment, which takes the note
    /// back.
    pub(super) fn note_end(&mut self) -> Result<(), JournalError> {
        let Some(last) = self.live.back().copied() else { return Ok(()) };
        (self.open_offset_bytes, self.growing) = (None, None);
        let (sequence, slot, durable) = (self.next_sequence - 1, last.slot, self.durable);
        self.note(LastUse { sequence, slot, durable, ended: true })
    }

    fn write_frame(
        &self,
        segment: Segment,
        batch: &mut Batch,
        offset_bytes: usize,
        sync: SyncWhen,
    ) -> Result<(), JournalError> {
        assert!(offset_bytes >= self.options.block_bytes, "the format block stays");
        let Segment { slot, sequence, .. } = segment;
        let place = FramePlace { sequence, position: batch.first, durable: self.durable };
        frame::seal(&mut batch.bytes, place, self.options.block_bytes);
        let SegmentFile { file, bytes } = &self.files[&slot];
        assert!(offset_bytes + batch.bytes.len() <= *bytes);
        file.write_at(&batch.bytes, offset_bytes as u64).map_err(slot.io("writing"))?;
        match sync {
            SyncWhen::Now => file.sync_data().map_err(slot.io("syncing")),
            SyncWhen::Later => Ok(()),
        }
    }

    /// Frees the last segments if all that they hold is written again from `first` on.
    pub(super) fn drop_replaced(&mut self, first: LogPosition) {
        while let Some(replaced) = self.live.pop_back_if(|segment| segment.first >= first) {
            self.free.push_back(replaced.slot);
        }
    }

    /// The free segment that a frame of so many bytes goes to.
    fn fresh_slot(&mut self, frame_bytes: usize) -> Result<Slot, JournalError> {
        self.look_at_unseen()?;
        let needed_bytes = self.options.block_bytes + frame_bytes;
        let fits = |slot: &Slot| self.files[slot].bytes >= needed_bytes;
        let nth = match self.free.iter().position(fits) {
            Some(nth) => nth,
            None => {
                self.add_segment(needed_bytes)?;
                self.free.len() - 1
            }
        };
        Ok(self.free.remove(nth).expect("it was just found"))
    }

    /// Makes one more segment, of at least so many bytes.
    pub(super) fn add_segment(&mut self, needed_bytes: usize) -> Result<(), JournalError> {
        let bytes = self.new_segment_bytes(needed_bytes);
        let site = self.site(bytes);
        let made = site.build();
        self.join_segment(site.slot, made)
    }

    /// Where to make one more segment, unless so many are free or about to be.
    pub(super) fn begin_segment(&mut self, wanted_free: usize) -> Option<Site<M>> {
        // What is in doubt in the last one in use has to fit, should it be written again; and those
        // of a much smaller log do not count.
        let open_bytes = self.live.back().map_or(0, |open| self.files[&open.slot].bytes);
        let bytes = self.new_segment_bytes(open_bytes);
        let enough_bytes = open_bytes.max(bytes / 4);
        let free = self.free.iter().filter(|slot| self.files[slot].bytes >= enough_bytes).count();
        (free + self.making.len() < wanted_free).then(|| self.site(bytes))
    }

    fn new_segment_bytes(&self, needed_bytes: usize) -> usize {
        let live_bytes = self.live.iter().map(|live| self.files[&live.slot].bytes).sum();
        self.options.new_segment_bytes(live_bytes, needed_bytes)
    }

    fn site(&mut self, bytes: usize) -> Site<M> {
        assert!(self.unseen.is_none(), "a new segment's number is that of no other");
        let last = self.files.keys().last().max(self.making.last());
        let slot = Slot(last.map_or(0, |last| last.0 + 1));
        self.making.insert(slot);
        Site { medium: Arc::clone(&self.medium), slot, options: self.options, bytes }
    }

    /// Takes over a segment that was made, or the failure to.
    pub(super) fn join_segment(
        &mut self,
        slot: Slot,
        file: Result<SegmentFile<M::File>, JournalError>,
    ) -> Result<(), JournalError> {
        self.making.remove(&slot);
        self.files.insert(slot, file?);
        self.free.push_back(slot);
        Ok(())
    }

    /// Frees what lies before the checkpoint, but for the intervals that are kept.
    pub(super) fn free_before(&mut self, checkpoint: LogPosition) -> usize {
        let latest = self.checkpoints.back().copied().unwrap_or_default();
        self.checkpoints.push_back(checkpoint.max(latest));
        while self.checkpoints.len() > self.options.intervals_kept + 1 {
            self.checkpoints.pop_front();
        }
        // Until there are as many, the first one ever is the oldest that may be asked for.
        self.free_segments_before(self.checkpoints[0])
    }

    pub(super) fn would_free(&self, position: LogPosition) -> bool {
        // Until something in the last one is durable, the one before it holds the log's end.
        let is_end = self.live.len() == 2 && self.begins_in_doubt();
        !is_end && self.live.get(1).is_some_and(|next| next.first <= position)
    }

    /// Removes free segments, the one first that has been free longest: those that stay are the end
    /// of the log.
    pub(super) fn keep_free(&mut self, segments: usize) -> Result<usize, JournalError> {
        let mut removed = 0;
        while self.free.len() > segments {
            // Of the segment begun last it is known that it is there.
            let noted = self.noted;
            let Some(nth) = self.free.iter().position(|slot| Some(*slot) != noted) else { break };
            let slot = self.free[nth];
            self.medium.remove(&slot.name()).map_err(slot.io("removing"))?;
            // Few segments have one; what stays is not believed.
            let _ = self.medium.remove(&slot.outline_name());
            self.free.remove(nth);
            self.files.remove(&slot);
            removed += 1;
        }
        Ok(removed)
    }

    pub(super) fn free_segments_before(&mut self, position: LogPosition) -> usize {
        let before = self.free.len();
        while self.would_free(position) {
            let freed = self.live.pop_front().expect("there are two");
            self.free.push_back(freed.slot);
        }
        self.free.len() - before
    }

    pub(super) fn segments(&self) -> (usize, usize) {
        (self.files.len(), self.free.len())
    }
}
