//! The segments as they are found at opening, and what is wrong with their form.

use std::collections::BTreeMap;

use disk::{Medium, MediumFile};

use super::chain::{Found, identify};
use super::damage::LogDamage;
use super::last_frames::LastFrames;
use super::last_use::LastUse;
use super::read_ahead::read;
use super::segment::{self, FormatFault, Slot};
use super::writer::Writer;
use super::{JournalError, JournalOptions};

/// To tell which use of a segment is the latest, its first frame is enough, and most end here.
const FIRST_LOOK_BYTES: usize = 256 << 10;

/// The segments as they were found.
#[derive(Default)]
pub(super) struct Looked {
    /// Those that hold a frame, in the order of their use.
    pub(super) found: Vec<Found>,
    /// Those that are as they were made.
    pub(super) blank: Vec<Slot>,
    /// All of them, with the bytes that each has, or gets if it has no size of a segment.
    pub(super) there: BTreeMap<Slot, usize>,
    /// Those whose size or format is wrong. Without a frame they may be half made.
    misshapen: BTreeMap<Slot, Misshapen>,
}

/// What is wrong with the form of a segment.
struct Misshapen {
    offset_bytes: usize,
    expected: String,
    found: String,
    /// Whether bytes are missing at its end.
    is_cut: bool,
    /// Whether it holds no frame.
    is_empty: bool,
}

impl Misshapen {
    fn of(file_bytes: u64, has_format: bool, is_empty: bool, segment_bytes: u64) -> Option<Self> {
        if file_bytes != segment_bytes {
            return Some(Self {
                offset_bytes: file_bytes as usize,
                expected: format!("{segment_bytes} bytes"),
                found: format!("{file_bytes}"),
                is_cut: file_bytes < segment_bytes,
                is_empty,
            });
        }
        (!has_format).then(|| Self {
            offset_bytes: 0,
            expected: "the format of a journal".into(),
            found: "something else".into(),
            is_cut: false,
            is_empty,
        })
    }

    fn error(&self, slot: Slot) -> JournalError {
        slot.damaged(self.offset_bytes, &self.expected, &self.found)
    }
}

impl Looked {
    /// Looks what a segment holds.
    pub(super) fn look(
        &mut self,
        file: &impl MediumFile,
        slot: Slot,
        options: &JournalOptions,
        bytes: &mut Vec<u8>,
    ) -> Result<(), JournalError> {
        let block_bytes = options.block_bytes;
        let file_bytes = file.len_bytes().map_err(slot.io("measuring"))?;
        let read_bytes = file_bytes.min(options.segment_bytes as u64) as usize;
        read(file, slot, read_bytes.min(block_bytes + FIRST_LOOK_BYTES), bytes)?;
        let format = match options.check_format(bytes) {
            Err(FormatFault::Foreign { expected, found }) => {
                return Err(slot.damaged(0, expected, found));
            }
            format => format.ok(),
        };
        let at_once = identify(slot, bytes, block_bytes);
        let found = if at_once.is_some_and(|found| found.offset_bytes == block_bytes) {
            at_once
        } else {
            read(file, slot, read_bytes, bytes)?;
            identify(slot, bytes, block_bytes)
        };
        let segment_bytes = format
            .or_else(|| options.is_size(file_bytes).then_some(read_bytes))
            // Half made, or cut: the next larger one has room for what is there.
            .unwrap_or_else(|| options.new_segment_bytes(0, read_bytes + 1));
        let misshapen =
            Misshapen::of(file_bytes, format.is_some(), found.is_none(), segment_bytes as u64);
        self.misshapen.extend(misshapen.map(|misshapen| (slot, misshapen)));
        self.there.insert(slot, segment_bytes);
        match found {
            Some(each) => self.found.push(each),
            None if options.is_blank(bytes) => self.blank.push(slot),
            None => {}
        }
        Ok(())
    }

    /// What is wrong with the segment that may have held the log's end: the one that was begun last
    /// is missing, or is no segment any more, though it was one before it was begun; or the newest
    /// is cut.
    pub(super) fn cut_end(&self, begun: Option<LastUse>) -> Option<JournalError> {
        let newest = self.found.last().map(|newest| newest.segment);
        let begun = begun.filter(|begun| Some(begun.sequence) > newest.map(|it| it.sequence));
        if let Some(LastUse { slot, .. }) = begun {
            if let Some(misshapen) = self.misshapen.get(&slot) {
                return Some(misshapen.error(slot));
            }
            // Of one that is there the first frame never became durable.
            if !self.there.contains_key(&slot) {
                return Some(slot.damaged(0, "a segment with the log's end", "no such file"));
            }
        }
        let slot = newest?.slot;
        let misshapen = self.misshapen.get(&slot).filter(|misshapen| misshapen.is_cut)?;
        Some(misshapen.error(slot))
    }

    /// Whether a segment that is there has the form of one.
    pub(super) fn is_whole(&self, slot: Slot) -> bool {
        !self.misshapen.contains_key(&slot)
    }

    /// Adds to an error what is known of segments that were cut.
    pub(super) fn explain(&self, error: JournalError) -> JournalError {
        let JournalError::Damaged { segment, offset_bytes, expected, mut found } = error else {
            return error;
        };
        let others = self.misshapen.iter().filter(|(slot, _)| slot.name() != segment);
        for (slot, misshapen) in others.filter(|(_, misshapen)| misshapen.is_empty) {
            let Misshapen { expected, found: has, .. } = misshapen;
            found += &format!("; {}: expected {expected}, found {has}", slot.name());
        }
        JournalError::Damaged { segment, offset_bytes, expected, found }
    }

    /// Takes segments for unused that hold nothing beyond what earlier ones hold.
    pub(super) fn forget_behind(&mut self, last: Option<&LastFrames>) {
        if let Some(last) = last {
            self.found.retain(|each| each.segment.sequence <= last.segment.sequence);
        }
    }

    /// Gives segments in use their size and their format back. Returns what was wrong.
    #[expect(clippy::indexing_slicing, reason = "each segment that was looked at has its file")]
    pub(super) fn mend<M: Medium>(
        &self,
        writer: &Writer<M>,
    ) -> Result<Vec<LogDamage>, JournalError> {
        let mut damage = Vec::new();
        for each in &self.found {
            let slot = each.segment.slot;
            let Some(misshapen) = self.misshapen.get(&slot) else { continue };
            segment::mend(&writer.files[&slot], slot, &writer.options)?;
            let Misshapen { offset_bytes, expected, found, .. } = misshapen;
            damage.push(LogDamage {
                segment: slot.name(),
                offset_bytes: *offset_bytes as u64,
                what: format!("expected {expected}, found {found}"),
                first: each.segment.first,
                end: each.segment.first,
                needed: false,
            });
        }
        Ok(damage)
    }
}
