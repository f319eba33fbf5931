//! A segment: a file of fixed size, its format block, its name.

use std::sync::Arc;

use disk::{Medium, MediumFile};

use super::{JournalError, frame};

/// Which file of the journal; a file is used again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot(pub(super) u32);

const PREFIX: &str = "journal-";
const MAGIC: &[u8; 8] = b"gyre-log";
const VERSION: u32 = 1;
const FORMAT_BYTES: usize = 28;
/// The least that every disk writes whole.
const BLOCK_BYTES_MIN: usize = 512;

/// How a journal is laid out and how long it keeps what it no longer needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalOptions {
    /// Bytes of a segment. It stays for as long as the journal exists.
    pub segment_bytes: usize,
    /// Where frames start: the page of the kernel, or a sector where it is bypassed. It stays for
    /// as long as the journal exists.
    pub block_bytes: usize,
    /// Whether a segment is written once before its use, so that no sync has metadata to write. Its
    /// blocks are only reserved otherwise: less to write where syncs are few.
    pub zeros: bool,
    /// Segments that are made at opening, so that no commit has to wait for one.
    pub segments: usize,
    /// How many intervals between calls of [`Journal::free_before`](super::Journal::free_before)
    /// are kept although they are freed, so that a checkpoint that turns out to be rotten has a
    /// fallback.
    pub intervals_kept: usize,
    /// Whether opening reads the next segment on a thread of its own while the last one is looked
    /// at. Without, the order of calls is always the same.
    pub read_ahead: bool,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            segment_bytes: 16 << 20,
            block_bytes: 4096,
            zeros: true,
            segments: 4,
            intervals_kept: 1,
            read_ahead: true,
        }
    }
}

impl JournalOptions {
    pub(super) fn assert_valid(&self) {
        assert!(self.block_bytes.is_power_of_two(), "blocks are powers of two");
        assert!(self.block_bytes >= BLOCK_BYTES_MIN, "a block is at least a sector");
        assert!(self.segment_bytes.is_multiple_of(self.block_bytes), "segments are whole blocks");
        assert!(self.segment_bytes >= 2 * self.block_bytes, "a segment holds a frame");
        assert!(u32::try_from(self.segment_bytes).is_ok(), "a segment is below 4 GiB");
    }

    /// The most bytes of records in a frame.
    pub(super) fn payload_bytes_max(&self) -> usize {
        self.segment_bytes - self.block_bytes - frame::HEADER_BYTES
    }

    fn format_block(&self) -> Vec<u8> {
        let mut block = MAGIC.to_vec();
        block.extend_from_slice(&VERSION.to_le_bytes());
        block.extend_from_slice(&(self.block_bytes as u32).to_le_bytes());
        block.extend_from_slice(&(self.segment_bytes as u64).to_le_bytes());
        block.extend_from_slice(&crc32fast::hash(&block).to_le_bytes());
        assert_eq!(block.len(), FORMAT_BYTES);
        block.resize(self.block_bytes, 0);
        block
    }

    /// Whether these are the bytes of a whole segment that was never used.
    pub(super) fn is_blank(&self, bytes: &[u8]) -> bool {
        let zeros = |rest: &[u8]| rest.iter().all(|byte| *byte == 0);
        bytes.len() == self.segment_bytes
            && self.check_format(bytes).is_ok()
            && bytes.get(FORMAT_BYTES..).is_some_and(zeros)
    }

    /// Checks the first bytes of a segment against these options; what is wrong with them is
    /// `(expected, found)`.
    pub(super) fn check_format(&self, bytes: &[u8]) -> Result<(), FormatFault> {
        let block = self.format_block();
        match bytes.get(..FORMAT_BYTES) {
            Some(found) if found == &block[..FORMAT_BYTES] => Ok(()),
            Some(found) if checksum_holds(found) => {
                Err(FormatFault::Foreign { expected: describe(&block), found: describe(found) })
            }
            _ => Err(FormatFault::Damaged),
        }
    }
}

/// What is wrong with a format block.
pub(super) enum FormatFault {
    /// It is whole, but of another version or size.
    Foreign { expected: String, found: String },
    /// It was never written, or has rotted.
    Damaged,
}

fn checksum_holds(format: &[u8]) -> bool {
    let (covered, crc) = format.split_at(FORMAT_BYTES - 4);
    crc32fast::hash(covered).to_le_bytes() == crc
}

fn describe(format: &[u8]) -> String {
    let number = |range| {
        format.get(range).map_or(0, |bytes: &[u8]| {
            bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        })
    };
    let (version, block, segment) = (number(8..12), number(12..16), number(16..24));
    format!("format {version} with blocks of {block} and segments of {segment} bytes")
}

impl Slot {
    pub(super) fn name(self) -> String {
        format!("{PREFIX}{:06}", self.0)
    }

    /// The slot of a file's name, if it is a segment.
    pub(super) fn of(name: &str) -> Option<Self> {
        let slot = Self(name.strip_prefix(PREFIX)?.parse().ok()?);
        (slot.name() == name).then_some(slot)
    }

    pub(super) fn damaged(
        self,
        offset_bytes: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> JournalError {
        JournalError::Damaged {
            segment: self.name(),
            offset_bytes: offset_bytes as u64,
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(super) fn io(self, action: &'static str) -> impl FnOnce(std::io::Error) -> JournalError {
        JournalError::io(action, self.name())
    }
}

/// Where a segment is to be made; nothing of it needs the log.
#[derive(Debug)]
pub(super) struct Site<M> {
    pub(super) medium: Arc<M>,
    pub(super) slot: Slot,
    pub(super) options: JournalOptions,
}

impl<M: Medium> Site<M> {
    /// Makes the segment. Where that fails its name is taken away again.
    pub(super) fn build(&self) -> Result<M::File, JournalError> {
        let made = self.make().and_then(|file| sync_names(&*self.medium).map(|()| file));
        if made.is_err() {
            let _ = self.medium.remove(&self.slot.name()); // else the next attempt takes it over
        }
        made
    }

    /// Makes the file, or takes the one that an earlier attempt left, and formats it.
    fn make(&self) -> Result<M::File, JournalError> {
        let name = self.slot.name();
        let created = match self.medium.create(&name) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.medium.open(&name)
            }
            created => created,
        };
        let file = created.map_err(self.slot.io("creating"))?;
        format(&file, self.slot, &self.options)?;
        Ok(file)
    }
}

/// Makes the names of segments durable.
pub(super) fn sync_names(medium: &impl Medium) -> Result<(), JournalError> {
    medium.sync_directory().map_err(JournalError::io("syncing", "the journal's directory"))
}

/// Makes a whole segment of zeros.
pub(super) fn format(
    file: &impl MediumFile,
    slot: Slot,
    options: &JournalOptions,
) -> Result<(), JournalError> {
    let segment_bytes = options.segment_bytes as u64;
    let file_bytes = file.len_bytes().map_err(slot.io("measuring"))?;
    let sized = match options.zeros {
        true => file.allocate(segment_bytes),
        false => file.reserve(segment_bytes),
    };
    sized.map_err(slot.io("allocating"))?;
    if file_bytes > segment_bytes {
        file.truncate(segment_bytes).map_err(slot.io("truncating"))?;
    }
    // What an earlier attempt left may look written and not be. The format block is not cleared
    // first: in a crash it would be missing beside frames that an earlier use left on the disk.
    if file_bytes > 0 {
        let zeros = vec![0; options.segment_bytes - options.block_bytes];
        file.write_at(&zeros, options.block_bytes as u64).map_err(slot.io("writing"))?;
    }
    // The format block proves the zeros: whoever finds both need not write them again.
    file.sync_data().map_err(slot.io("syncing"))?;
    mark(file, slot, options)
}

/// Gives a segment in use its size and its format back. Its frames stay.
pub(super) fn mend(
    file: &impl MediumFile,
    slot: Slot,
    options: &JournalOptions,
) -> Result<(), JournalError> {
    let segment_bytes = options.segment_bytes as u64;
    file.allocate(segment_bytes).map_err(slot.io("allocating"))?;
    file.truncate(segment_bytes).map_err(slot.io("truncating"))?;
    file.sync_data().map_err(slot.io("syncing"))?;
    mark(file, slot, options)
}

/// Writes the format block of a segment whose zeros are durable.
pub(super) fn mark(
    file: &impl MediumFile,
    slot: Slot,
    options: &JournalOptions,
) -> Result<(), JournalError> {
    file.write_at(&options.format_block(), 0).map_err(slot.io("writing"))?;
    file.sync_data().map_err(slot.io("syncing"))
}
