//! Pieces of a log that was read at opening, read again.

use disk::{Medium, MediumFile};

use super::frame::HEADER_BYTES;
use super::segment::Slot;
use super::{JournalError, LogPosition, RawRecord};

/// Where a record stands on disk, before which stands its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// The number of the segment's file.
    pub segment: u32,
    /// Where in the file the record's length begins.
    pub offset_bytes: u32,
}

/// Something of a log that is read at opening.
#[derive(Debug)]
pub enum LogPiece<'a> {
    /// A record, at its position.
    Record(LogPosition, RecordPlace, RawRecord<'a>),
    /// What the user has told of all records of a segment, whose number this is. Where it is not
    /// enough that is to be said, before anything of it is taken; then the records are read.
    Outline(u32, &'a [u8], &'a mut bool),
}

/// Where a record stands whose frame begins at an offset and a position.
pub(super) fn record_place(
    slot: Slot,
    frame_offset_bytes: usize,
    frame_position: LogPosition,
    at: LogPosition,
) -> RecordPlace {
    let offset_bytes = frame_offset_bytes + HEADER_BYTES + (at.0 - frame_position.0) as usize;
    RecordPlace { segment: slot.0, offset_bytes: offset_bytes as u32 }
}

/// The bytes of a record with its length.
#[must_use]
pub fn after_length(record_bytes: usize) -> usize {
    let bits = usize::BITS - record_bytes.leading_zeros();
    record_bytes + bits.div_ceil(7).max(1) as usize
}

/// Reads pieces of a log again that were read at opening, as long as they are not freed. Others
/// append meanwhile.
#[derive(Debug)]
pub struct PieceReader<'m, M: Medium> {
    medium: &'m M,
    open: Option<(Slot, M::File)>,
}

impl<'m, M: Medium> PieceReader<'m, M> {
    /// Reads pieces of the journal of a directory.
    pub fn new(medium: &'m M) -> Self {
        Self { medium, open: None }
    }

    /// Fills `bytes` with what stands at a place: they begin with the length of a record.
    ///
    /// # Errors
    /// [`JournalError::Io`]; [`JournalError::Damaged`]: there are not so many bytes.
    pub fn read(&mut self, place: RecordPlace, bytes: &mut [u8]) -> Result<(), JournalError> {
        let slot = Slot(place.segment);
        let file = match self.open.take() {
            Some((open, file)) if open == slot => file,
            _ => {
                let file = self.medium.open(&slot.name()).map_err(slot.io("opening"))?;
                file.advise_random().map_err(slot.io("advising"))?;
                file
            }
        };
        let read = file.read_at(bytes, u64::from(place.offset_bytes)).map_err(slot.io("reading"));
        self.open = Some((slot, file));
        match read? {
            read if read == bytes.len() => Ok(()),
            _ => Err(piece_fault(place)),
        }
    }
}

/// The fault that records which were read at opening are not there any more.
#[must_use]
pub fn piece_fault(place: RecordPlace) -> JournalError {
    let expected = "the records that were read at opening";
    Slot(place.segment).damaged(place.offset_bytes as usize, expected, "something else")
}
