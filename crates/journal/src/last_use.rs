//! Which segment was begun last, and whether the log was ended: `journal-last`.
//!
//! A segment that was cut to nothing, or is gone, cannot tell that it held the end of the log. This
//! file tells it: it is written before the first frame of each use of a segment, and when the user
//! of the journal ends in order and needs nothing of the log any more.
//!
//! ```text
//!   0     entry     two places, written in turn: the one with the larger number counts
//!   4096  entry
//!
//!   entry: 0   8  magic "gyre-use"       28  4  1 if the log was ended, else 0
//!          8   8  number                 32  8  position: of the use's first record, or
//!          16  8  sequence of the use           of the log's end
//!          24  4  number of the segment  40  4  CRC-32 of all before
//! ```
//!
//! All numbers are little-endian. A journal without this file, of an earlier version or a copy, is
//! as good: only a missing end is not noticed then.

use std::io;

use disk::{Medium, MediumFile};

use super::segment::{Slot, sync_names};
use super::{JournalError, LogPosition};

/// The file's name.
pub(super) const NAME: &str = "journal-last";
const MAGIC: &[u8; 8] = b"gyre-use";
const PLACE_BYTES: u64 = 4096;
const ENTRY_BYTES: usize = 44;

/// The use of a segment that was begun last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastUse {
    pub(super) sequence: u64,
    pub(super) slot: Slot,
    /// Up to here the log was durable then.
    pub(super) durable: LogPosition,
    /// Whether the log was ended there, in order: nothing was written since, and nothing of it is
    /// needed.
    pub(super) ended: bool,
}

/// The file, open.
#[derive(Debug)]
pub(super) struct LastUseFile<F> {
    file: F,
    /// The number of the entry written last.
    number: u64,
}

/// Reads the entry that counts; `None` if there is none.
pub(super) fn read(medium: &impl Medium) -> Result<Option<(u64, LastUse)>, JournalError> {
    let file = match medium.open(NAME) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(JournalError::io("opening", NAME))?,
    };
    let mut newest: Option<(u64, LastUse)> = None;
    for place in 0..2 {
        let mut bytes = [0; ENTRY_BYTES];
        file.read_at(&mut bytes, place * PLACE_BYTES).map_err(JournalError::io("reading", NAME))?;
        let found = decode(&bytes);
        newest = newest.into_iter().chain(found).max_by_key(|(number, _)| *number);
    }
    Ok(newest)
}

impl LastUse {
    /// Where the log was ended, if it was.
    pub(super) fn end(&self) -> Option<LogPosition> {
        self.ended.then_some(self.durable)
    }
}

impl<F: MediumFile> LastUseFile<F> {
    /// Opens the file, or makes it, to go on after an entry.
    pub(super) fn open<M: Medium<File = F>>(medium: &M, number: u64) -> Result<Self, JournalError> {
        let file = match medium.create(NAME) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => medium.open(NAME),
            created => created,
        };
        let file = file.map_err(JournalError::io("creating", NAME))?;
        // Its room is taken once: a later sync has no metadata to write.
        if file.len_bytes().map_err(JournalError::io("measuring", NAME))? != 2 * PLACE_BYTES {
            file.allocate(2 * PLACE_BYTES).map_err(JournalError::io("allocating", NAME))?;
            file.truncate(2 * PLACE_BYTES).map_err(JournalError::io("truncating", NAME))?;
            file.sync_data().map_err(JournalError::io("syncing", NAME))?;
            sync_names(medium)?;
        }
        Ok(Self { file, number })
    }

    /// Notes what was begun, durably.
    pub(super) fn note(&mut self, last: LastUse) -> Result<(), JournalError> {
        // Where it fails the next attempt takes the other place, and this one may hold anything.
        self.number += 1;
        let mut bytes = encode(self.number, last);
        bytes.resize(PLACE_BYTES as usize, 0);
        let written = self.file.write_at(&bytes, self.number % 2 * PLACE_BYTES);
        written.map_err(JournalError::io("writing", NAME))?;
        self.file.sync_data().map_err(JournalError::io("syncing", NAME))
    }
}

fn encode(number: u64, last: LastUse) -> Vec<u8> {
    let LastUse { sequence, slot, durable, ended } = last;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(&sequence.to_le_bytes());
    bytes.extend_from_slice(&slot.0.to_le_bytes());
    bytes.extend_from_slice(&u32::from(ended).to_le_bytes());
    bytes.extend_from_slice(&durable.0.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    assert_eq!(bytes.len(), ENTRY_BYTES);
    bytes
}

fn decode(bytes: &[u8; ENTRY_BYTES]) -> Option<(u64, LastUse)> {
    let long = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let short = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let number = long(8)?;
    let last = LastUse {
        sequence: long(16)?,
        slot: Slot(short(24)?),
        durable: LogPosition(long(32)?),
        ended: short(28)? == 1,
    };
    (bytes[..] == encode(number, last)).then_some((number, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_as_it_stands() {
        let last =
            LastUse { sequence: 0x0102, slot: Slot(3), durable: LogPosition(4), ended: true };
        let bytes = encode(7, last);
        assert_eq!(bytes[..16], *b"gyre-use\x07\0\0\0\0\0\0\0");
        assert_eq!(bytes[16..28], *b"\x02\x01\0\0\0\0\0\0\x03\0\0\0");
        assert_eq!(bytes[28..40], *b"\x01\0\0\0\x04\0\0\0\0\0\0\0");
        assert_eq!(decode(bytes.first_chunk().unwrap()), Some((7, last)));
        for bit in 0..ENTRY_BYTES * 8 {
            let mut damaged: [u8; ENTRY_BYTES] = *bytes.first_chunk().unwrap();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged), None, "{bit}");
        }
    }
}
