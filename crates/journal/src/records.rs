//! Records encoded beside the log, to enter it together.

use varint::put_varint;

use super::split_record;
use crate::raw::{RawRecord, RecordHead};

/// Records with their lengths, as they stand in the log.
///
/// A thread that applies updates under a lock of its own encodes them here, and appends all of them
/// before that lock is released: then the log has the records of an RRD in the order in which they
/// were applied, and its lock is taken once for all of them.
#[derive(Debug, Default)]
pub struct Records {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl Records {
    /// Takes a record: its head, and what `put_body` appends.
    pub fn push(&mut self, head: RecordHead, put_body: impl FnOnce(&mut Vec<u8>)) {
        self.encode(|out| {
            head.put(out);
            put_body(out);
        });
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes of all of them.
    #[must_use]
    pub fn bytes_len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.bytes_max = 0;
    }

    /// The records, in their order.
    #[expect(clippy::expect_used, reason = "records that this process encoded")]
    pub fn iter(&self) -> impl Iterator<Item = RawRecord<'_>> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (record, behind) = split_record(rest)?;
            rest = behind;
            Some(RawRecord::parse(record).expect("it was encoded here"))
        })
    }

    /// The records, each after its length.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of the largest, with its length.
    pub(super) fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    fn encode(&mut self, encode: impl FnOnce(&mut Vec<u8>)) {
        let bytes = encode_after_length(&mut self.bytes, encode);
        self.bytes_max = self.bytes_max.max(bytes);
    }
}

/// Appends what `encode` writes after its length; returns the bytes of both.
#[expect(clippy::indexing_slicing, reason = "the byte was just appended")]
pub(super) fn encode_after_length(out: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) -> usize {
    let start = out.len();
    // The length of nearly every record takes one byte.
    out.push(0);
    encode(out);
    let bytes = out.len() - start - 1;
    assert!(bytes > 0, "a record has bytes");
    if bytes < 0x80 {
        out[start] = bytes as u8;
    } else {
        let mut length = Vec::new();
        put_varint(bytes as u64, &mut length);
        out.splice(start..=start, length);
    }
    out.len() - start
}
