//! Outlines of segments: what their user needs to know of the records in them at opening, in a few
//! bytes, so that a long log is opened without being read.
//!
//! `journal-000012.outline` tells of the use of segment 12 that it was made of:
//!
//! ```text
//!   0   8  magic "gyre-out"          36  8  position of its first record
//!   8   4  version                   44  8  position behind its last record
//!   12  4  checksum of its first     52  4  bytes of what the user tells
//!          frame                     56     what the user tells
//!   16  8  sequence of the use       +   4  CRC-32 of all before
//!   24  4  number of the segment
//!   28  8  zeros
//! ```
//!
//! All numbers are little-endian. Nothing waits for an outline to reach the disk: one that is not
//! whole, or is of another use, counts for nothing, and the segment is read. An outline is made of
//! a segment that was left, whose records are durable, and holds for it until it is used again.

use disk::{Medium, MediumFile};

use super::chain::Found;
use super::frame::records;
use super::look_up::UsedSegment;
use super::pieces::{RecordPlace, after_length, record_place};
use super::segment::{Segment, Slot};
use super::told::{Outline, Outlines};
use super::writer::Writer;
use super::{JournalError, LogPosition, RawRecord};

const MAGIC: &[u8; 8] = b"gyre-out";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 56;
const CRC_BYTES: usize = 4;

/// A use of a segment that was left: it takes no more records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftSegment {
    pub(super) slot: Slot,
    /// Which use it is, counted over all segments.
    pub(super) sequence: u64,
    pub(super) first: LogPosition,
    pub(super) end: LogPosition,
}

impl LeftSegment {
    /// Which use it is, counted over all segments.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The number of its file.
    #[must_use]
    pub fn segment(&self) -> u32 {
        self.slot.0
    }

    fn header(&self, frame_crc: u32, payload_bytes: usize) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&frame_crc.to_le_bytes());
        header.extend_from_slice(&self.sequence.to_le_bytes());
        header.extend_from_slice(&self.slot.0.to_le_bytes());
        header.extend_from_slice(&[0; 8]);
        header.extend_from_slice(&self.first.0.to_le_bytes());
        header.extend_from_slice(&self.end.0.to_le_bytes());
        header.extend_from_slice(&(payload_bytes as u32).to_le_bytes());
        assert_eq!(header.len(), HEADER_BYTES);
        header
    }
}

/// Whether a file's name is that of a segment's outline. A copy of the log is as good without.
#[must_use]
pub fn is_outline(name: &str) -> bool {
    name.strip_suffix(".outline").is_some_and(|segment| Slot::of(segment).is_some())
}

impl<M: Medium> Writer<M> {
    /// The segments in use that were left.
    pub(super) fn left_segments(&self) -> Vec<LeftSegment> {
        let after = self.live.iter().skip(1);
        let left = self.live.iter().zip(after).map(|(segment, next)| {
            let Segment { slot, sequence, first } = *segment;
            LeftSegment { slot, sequence, first, end: next.first }
        });
        left.collect()
    }
}

impl<M: Medium> UsedSegment<M> {
    /// Hands over the records of a use that was left. Returns the checksum of its first frame;
    /// `None` if it is not there whole, because it was used again.
    pub(super) fn read_left(
        &self,
        left: &LeftSegment,
        mut visit: impl FnMut(LogPosition, RecordPlace, RawRecord<'_>),
    ) -> Result<Option<u32>, JournalError> {
        let (mut expected, mut first_crc) = (left.first, None);
        self.for_each_frame(|offset_bytes, frame| {
            first_crc.get_or_insert(frame.crc);
            for (at, record) in records(frame.payload, frame.position).flatten() {
                let Ok(parsed) = RawRecord::parse(record) else { return };
                if at == expected && at < left.end {
                    let place = record_place(left.slot, offset_bytes, frame.position, at);
                    expected = at.advance(after_length(record.len()));
                    visit(at, place, parsed);
                }
            }
        })?;
        Ok(first_crc.filter(|_| expected == left.end))
    }
}

/// Puts an outline in its place.
pub(super) fn put<M: Medium>(
    medium: &M,
    left: &LeftSegment,
    frame_crc: u32,
    payload: &[u8],
) -> Result<(), JournalError> {
    let name = left.slot.outline_name();
    let mut bytes = left.header(frame_crc, payload.len());
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    let file = match medium.open(&name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => medium.create(&name),
        opened => opened,
    };
    let put = file.and_then(|file| file.write_at(&bytes, 0));
    put.map_err(JournalError::io("writing", name))
}

/// The outlines that hold of segments which follow one another, by their numbers. The last one may
/// not have been left.
pub(super) fn read_all<M: Medium>(medium: &M, found: &[Found]) -> Outlines {
    let of = |(each, next): (&Found, &Found)| {
        let Segment { slot, sequence, first } = each.segment;
        let left = LeftSegment { slot, sequence, first, end: next.segment.first };
        let told = read(medium, &left, each.frame_crc)?;
        Some((slot, Outline { end: left.end, told }))
    };
    found.iter().zip(found.iter().skip(1)).filter_map(of).collect()
}

/// The outline of this very use of a segment, whose first frame has this checksum. One that cannot
/// be read is as good as none.
fn read<M: Medium>(medium: &M, left: &LeftSegment, frame_crc: u32) -> Option<Vec<u8>> {
    let file = medium.open(&left.slot.outline_name()).ok()?;
    let mut bytes = vec![0; file.len_bytes().ok()? as usize];
    let read = file.read_at(&mut bytes, 0).ok()?;
    bytes.truncate(read);
    payload_of(&bytes, left, frame_crc).map(<[u8]>::to_vec)
}

fn payload_of<'b>(bytes: &'b [u8], left: &LeftSegment, frame_crc: u32) -> Option<&'b [u8]> {
    let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let payload_bytes = u32::from_le_bytes(header.get(52..)?.try_into().ok()?) as usize;
    let (payload, crc) = rest.split_at_checked(payload_bytes)?;
    let crc = u32::from_le_bytes(*crc.first_chunk::<CRC_BYTES>()?);
    let is_it = header == left.header(frame_crc, payload_bytes);
    let is_whole = crc32fast::hash(bytes.get(..HEADER_BYTES + payload_bytes)?) == crc;
    (is_it && is_whole).then_some(payload)
}
