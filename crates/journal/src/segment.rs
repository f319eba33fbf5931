//! A segment: a file whose size stays, its format block, its name.

use std::sync::Arc;

use disk::{Medium, MediumFile};

use super::{JournalError, LogPosition, frame};

/// Which file of the journal; a file is used again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot(pub(super) u32);

/// A segment that holds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) slot: Slot,
    /// Which use of a slot this is, counted over all slots.
    pub(super) sequence: u64,
    /// The position of its first record. It replaces what earlier segments hold from there on.
    pub(super) first: LogPosition,
}

const PREFIX: &str = "journal-";
const MAGIC: &[u8; 8] = b"gyre-log";
/// The version of segments.
pub const VERSION: u32 = 1;
const FORMAT_BYTES: usize = 28;
/// The least that every disk writes whole.
const BLOCK_BYTES_MIN: usize = 512;
/// A new segment is at most this part of those in use: what is made beforehand then stays within
/// what the log takes anyway.
const SHARE: usize = 4;

/// How a journal is laid out and how long it keeps what it no longer needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalOptions {
    /// The most bytes of a segment, which bound a frame. It stays for as long as the journal
    /// exists.
    pub segment_bytes: usize,
    /// Bytes of the first segments. Later ones are larger, by doubling up to `segment_bytes`, as
    /// the log grows, so that a small journal takes little disk and a large one has few files. As
    /// many as `segment_bytes` or more: all are of one size.
    pub first_segment_bytes: usize,
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
            first_segment_bytes: 64 << 10,
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

    fn smallest_bytes(&self) -> usize {
        if self.first_segment_bytes >= self.segment_bytes {
            return self.segment_bytes;
        }
        let least = self.first_segment_bytes.max(2 * self.block_bytes); // it holds a frame
        least.next_power_of_two().min(self.segment_bytes)
    }

    /// Whether segments are made of so many bytes.
    pub(super) fn is_size(&self, bytes: u64) -> bool {
        let (smallest, largest) = (self.smallest_bytes() as u64, self.segment_bytes as u64);
        bytes == largest || bytes.is_power_of_two() && (smallest..largest).contains(&bytes)
    }

    /// Bytes of a new segment where those in use take so many together, and so many are needed.
    pub(super) fn new_segment_bytes(&self, live_bytes: usize, needed_bytes: usize) -> usize {
        let needed = needed_bytes.next_power_of_two();
        let share = (live_bytes / SHARE).checked_ilog2().map_or(0, |log| 1 << log);
        share.max(needed).clamp(self.smallest_bytes(), self.segment_bytes)
    }

    fn format_block(&self, segment_bytes: usize) -> Vec<u8> {
        let mut block = MAGIC.to_vec();
        block.extend_from_slice(&VERSION.to_le_bytes());
        block.extend_from_slice(&(self.block_bytes as u32).to_le_bytes());
        block.extend_from_slice(&(segment_bytes as u64).to_le_bytes());
        block.extend_from_slice(&crc32fast::hash(&block).to_le_bytes());
        assert_eq!(block.len(), FORMAT_BYTES);
        block.resize(self.block_bytes, 0);
        block
    }

    /// Whether these are the bytes of a whole segment that was never used.
    pub(super) fn is_blank(&self, bytes: &[u8]) -> bool {
        // By the word: a segment has millions of bytes.
        let zeros = |rest: &[u8]| {
            let (words, rest) = rest.as_chunks::<64>();
            words.iter().all(|word| *word == [0; 64]) && rest.iter().all(|byte| *byte == 0)
        };
        self.check_format(bytes).is_ok_and(|segment_bytes| segment_bytes == bytes.len())
            && bytes.get(FORMAT_BYTES..).is_some_and(zeros)
    }

    /// Checks the first bytes of a segment against these options. Returns the size of the segment;
    /// what is wrong with them is `(expected, found)`.
    #[expect(
        clippy::indexing_slicing,
        reason = "the stretch that was cut has eight bytes; a block holds its format"
    )]
    pub(super) fn check_format(&self, bytes: &[u8]) -> Result<usize, FormatFault> {
        let found = bytes.get(..FORMAT_BYTES).filter(|found| checksum_holds(found));
        let found = found.ok_or(FormatFault::Damaged)?;
        let segment_bytes =
            found.get(16..24).map_or(0, |bytes| u64::from_le_bytes(bytes.as_chunks().0[0]));
        let block = self.format_block(segment_bytes as usize);
        if found == &block[..FORMAT_BYTES] && self.is_size(segment_bytes) {
            return Ok(segment_bytes as usize);
        }
        let expected = describe(&self.format_block(self.segment_bytes));
        Err(FormatFault::Foreign { expected, found: describe(found) })
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

    /// The name of its outline.
    pub(super) fn outline_name(self) -> String {
        format!("{}.outline", self.name())
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

/// A segment's file.
#[derive(Debug)]
pub(super) struct SegmentFile<F> {
    pub(super) file: F,
    /// How large it is.
    pub(super) bytes: usize,
}

/// Where a segment is to be made; nothing of it needs the log.
#[derive(Debug)]
pub(super) struct Site<M> {
    pub(super) medium: Arc<M>,
    pub(super) slot: Slot,
    pub(super) options: JournalOptions,
    /// How large it is to be.
    pub(super) bytes: usize,
}

impl<M: Medium> Site<M> {
    /// Makes the segment. Where that fails its name is taken away again.
    pub(super) fn build(&self) -> Result<SegmentFile<M::File>, JournalError> {
        let made = self.make().and_then(|made| sync_names(&*self.medium).map(|()| made));
        if made.is_err() {
            let _ = self.medium.remove(&self.slot.name()); // else the next attempt takes it over
        }
        made
    }

    /// Makes the file, or takes the one that an earlier attempt left, and formats it.
    fn make(&self) -> Result<SegmentFile<M::File>, JournalError> {
        let name = self.slot.name();
        let created = match self.medium.create(&name) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.medium.open(&name)
            }
            created => created,
        };
        let file = created.map_err(self.slot.io("creating"))?;
        let segment = SegmentFile { file, bytes: self.bytes };
        format(&segment, self.slot, &self.options)?;
        Ok(segment)
    }
}

/// Makes the names of segments durable.
pub(super) fn sync_names(medium: &impl Medium) -> Result<(), JournalError> {
    medium.sync_directory().map_err(JournalError::io("syncing", "the journal's directory"))
}

/// Makes a whole segment of zeros.
pub(super) fn format(
    segment: &SegmentFile<impl MediumFile>,
    slot: Slot,
    options: &JournalOptions,
) -> Result<(), JournalError> {
    let (file, segment_bytes) = (&segment.file, segment.bytes as u64);
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
        let block_bytes = options.block_bytes as u64;
        let written = file.write_zeros_at(segment_bytes - block_bytes, block_bytes);
        written.map_err(slot.io("writing"))?;
    }
    // The format block proves the zeros: a process that finds both need not write them again.
    file.sync_data().map_err(slot.io("syncing"))?;
    mark(segment, slot, options)
}

/// Gives a segment in use its size and its format back. Its frames stay.
pub(super) fn mend(
    segment: &SegmentFile<impl MediumFile>,
    slot: Slot,
    options: &JournalOptions,
) -> Result<(), JournalError> {
    let (file, segment_bytes) = (&segment.file, segment.bytes as u64);
    file.allocate(segment_bytes).map_err(slot.io("allocating"))?;
    file.truncate(segment_bytes).map_err(slot.io("truncating"))?;
    file.sync_data().map_err(slot.io("syncing"))?;
    mark(segment, slot, options)
}

/// Writes the format block of a segment whose zeros are durable.
pub(super) fn mark(
    segment: &SegmentFile<impl MediumFile>,
    slot: Slot,
    options: &JournalOptions,
) -> Result<(), JournalError> {
    let SegmentFile { file, bytes } = segment;
    file.write_at(&options.format_block(*bytes), 0).map_err(slot.io("writing"))?;
    file.sync_data().map_err(slot.io("syncing"))
}
