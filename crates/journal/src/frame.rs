//! A frame: the records of one commit under one checksum.

use super::LogPosition;

/// Bytes before the records.
pub(super) const HEADER_BYTES: usize = 28;

const CRC: std::ops::Range<usize> = 0..4;
const PAYLOAD_BYTES: std::ops::Range<usize> = 4..8;
const SEQUENCE: std::ops::Range<usize> = 8..16;
const POSITION: std::ops::Range<usize> = 16..24;
const DOUBT_BYTES: std::ops::Range<usize> = 24..28;

/// A valid frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) sequence: u64,
    pub(super) position: LogPosition,
    /// All before here was durable when it was written.
    pub(super) durable: LogPosition,
    pub(super) payload: &'a [u8],
    /// Its checksum.
    pub(super) crc: u32,
}

impl<'a> Frame<'a> {
    /// The frame at the start of `bytes`, if it is valid.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let payload_bytes = u32::from_le_bytes(field(bytes, PAYLOAD_BYTES)?) as usize;
        let whole = bytes.get(..HEADER_BYTES.checked_add(payload_bytes)?)?;
        let crc = u32::from_le_bytes(field(bytes, CRC)?);
        let covered = whole.get(CRC.end..)?;
        // Zeros are what a segment holds that was never used.
        if payload_bytes == 0 || crc32fast::hash(covered) != crc {
            return None;
        }
        let position = u64::from_le_bytes(field(bytes, POSITION)?);
        let doubt_bytes = u32::from_le_bytes(field(bytes, DOUBT_BYTES)?);
        Some(Self {
            sequence: sequence_at(bytes)?,
            position: LogPosition(position),
            durable: LogPosition(position.checked_sub(u64::from(doubt_bytes))?),
            payload: whole.get(HEADER_BYTES..)?,
            crc,
        })
    }

    /// The frame at the start of `bytes`, if it is a valid one of a certain use of the segment.
    pub(super) fn of_use(bytes: &'a [u8], sequence: u64) -> Option<Self> {
        // Looking at the sequence costs nothing, the checksum of what is no frame may.
        if sequence_at(bytes)? == sequence { Self::parse(bytes) } else { None }
    }

    /// The position after its last record.
    pub(super) fn end(&self) -> LogPosition {
        self.position.advance(self.payload.len())
    }

    /// The bytes that it takes in a segment.
    pub(super) fn padded_bytes(&self, block_bytes: usize) -> usize {
        (HEADER_BYTES + self.payload.len()).next_multiple_of(block_bytes)
    }
}

/// The sequence that a frame at the start of `bytes` would have, valid or torn.
pub(super) fn sequence_at(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(field(bytes, SEQUENCE)?))
}

/// Sequence and position that a frame at the start of `bytes` claims, of which its header alone is
/// looked at; `None` if there is none, valid or torn.
pub(super) fn claim(bytes: &[u8]) -> Option<(u64, LogPosition)> {
    let payload_bytes = u32::from_le_bytes(field(bytes, PAYLOAD_BYTES)?);
    let position = u64::from_le_bytes(field(bytes, POSITION)?);
    (payload_bytes > 0).then_some((sequence_at(bytes)?, LogPosition(position)))
}

/// Where a frame stands in the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramePlace {
    /// The use of its segment.
    pub(super) sequence: u64,
    /// Of its first record.
    pub(super) position: LogPosition,
    /// All before here is durable.
    pub(super) durable: LogPosition,
}

/// Makes a frame of `bytes`, which has the records after room for the header, and pads it.
#[expect(
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a frame of our own, with room for its header"
)]
pub(super) fn seal(bytes: &mut Vec<u8>, place: FramePlace, block_bytes: usize) {
    assert!(bytes.len() > HEADER_BYTES, "a frame holds a record");
    let FramePlace { sequence, position, durable } = place;
    assert!(durable <= position, "what is not written yet is not durable");
    let payload_bytes = u32::try_from(bytes.len() - HEADER_BYTES).expect("it fits a segment");
    let doubt_bytes = u32::try_from(position.0 - durable.0).expect("it lies in one segment");
    bytes[PAYLOAD_BYTES].copy_from_slice(&payload_bytes.to_le_bytes());
    bytes[SEQUENCE].copy_from_slice(&sequence.to_le_bytes());
    bytes[POSITION].copy_from_slice(&position.0.to_le_bytes());
    bytes[DOUBT_BYTES].copy_from_slice(&doubt_bytes.to_le_bytes());
    let crc = crc32fast::hash(&bytes[CRC.end..]);
    bytes[CRC].copy_from_slice(&crc.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(block_bytes), 0);
}

/// The records of a frame's payload with their positions; `None` where one is cut short.
pub(super) fn records(
    payload: &[u8],
    position: LogPosition,
) -> impl Iterator<Item = Option<(LogPosition, &[u8])>> {
    let mut rest = payload;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = position.advance(payload.len() - rest.len());
        let record = split_record(rest);
        rest = record.map_or(&[], |(_, rest)| rest);
        Some(record.map(|(record, _)| (at, record)))
    })
}

/// The first record and what follows it.
#[must_use]
pub fn split_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    // Nearly all are short.
    if let Some((length @ ..0x80, rest)) = bytes.split_first() {
        return rest.split_at_checked(usize::from(*length));
    }
    let prefix = bytes.iter().position(|byte| *byte < 0x80)? + 1;
    let (prefix, rest) = bytes.split_at_checked(prefix)?;
    let shifted = prefix.iter().rev().try_fold(0_usize, |length, byte| {
        Some(length.checked_mul(0x80)? | usize::from(byte & 0x7f))
    });
    rest.split_at_checked(shifted?)
}

fn field<const N: usize>(bytes: &[u8], range: std::ops::Range<usize>) -> Option<[u8; N]> {
    bytes.get(range)?.try_into().ok()
}
