//! The end of the log that is not durable yet.
#![expect(
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "broken state of our own asserts"
)]

use std::collections::VecDeque;
use std::ops::Range;

use super::records::{Records, encode_after_length};
use super::{JournalError, LogPosition, frame};

/// Records that wait for a commit, and how far the log reaches.
#[derive(Debug)]
pub(super) struct Tail {
    /// Room for a frame's header, then records.
    batch: Vec<u8>,
    /// The position of the batch's first record.
    first: LogPosition,
    /// Up to here all is written, though maybe not durable.
    written: LogPosition,
    durable: LogPosition,
    record_bytes_max: usize,
    /// Records that are written together, each from its first to behind its last, and that may not
    /// be durable.
    together: VecDeque<Range<LogPosition>>,
}

/// Records that are being written.
#[derive(Debug)]
pub(super) struct Batch {
    /// Room for a frame's header, then records.
    pub(super) bytes: Vec<u8>,
    pub(super) first: LogPosition,
}

impl Batch {
    /// A batch without records.
    pub(super) fn empty(first: LogPosition) -> Self {
        Self { bytes: vec![0; frame::HEADER_BYTES], first }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.len() == frame::HEADER_BYTES
    }

    /// Takes over records that follow its own.
    pub(super) fn extend(&mut self, payload: &[u8]) {
        self.bytes.extend_from_slice(payload);
    }

    /// Takes over the records of a batch that follows.
    pub(super) fn append(&mut self, next: &Self) {
        assert_eq!(self.end(), next.first);
        self.extend(&next.bytes[frame::HEADER_BYTES..]);
    }

    /// The position after its last record.
    pub(super) fn end(&self) -> LogPosition {
        self.first.advance(self.bytes.len() - frame::HEADER_BYTES)
    }
}

impl Tail {
    /// The tail of a log that is durable up to a position.
    pub(super) fn new(durable: LogPosition, record_bytes_max: usize) -> Self {
        let batch = vec![0; frame::HEADER_BYTES];
        let together = VecDeque::new();
        Self { batch, first: durable, written: durable, durable, record_bytes_max, together }
    }

    pub(super) fn durable(&self) -> LogPosition {
        self.durable
    }

    pub(super) fn written(&self) -> LogPosition {
        self.written
    }

    /// The position of the next record.
    pub(super) fn next(&self) -> LogPosition {
        self.first.advance(self.pending_bytes())
    }

    pub(super) fn pending_bytes(&self) -> usize {
        self.batch.len() - frame::HEADER_BYTES
    }

    /// Takes the record that `encode` writes.
    pub(super) fn push(
        &mut self,
        encode: impl FnOnce(&mut Vec<u8>),
    ) -> Result<LogPosition, JournalError> {
        let (position, start) = (self.next(), self.batch.len());
        let bytes = encode_after_length(&mut self.batch, encode);
        if let Err(error) = self.check(bytes) {
            self.batch.truncate(start);
            return Err(error);
        }
        Ok(position)
    }

    /// Takes records that lie encoded; returns the position of the first.
    pub(super) fn extend(&mut self, records: &Records) -> Result<LogPosition, JournalError> {
        self.check(records.bytes_max())?;
        let position = self.next();
        self.batch.extend_from_slice(records.bytes());
        Ok(position)
    }

    /// The same; where they fit one frame, they are written in one.
    pub(super) fn extend_together(
        &mut self,
        records: &Records,
    ) -> Result<LogPosition, JournalError> {
        let position = self.extend(records)?;
        if records.bytes().len() <= self.record_bytes_max {
            self.together.push_back(position..self.next());
        }
        Ok(position)
    }

    fn check(&self, bytes: usize) -> Result<(), JournalError> {
        let bytes_max = self.record_bytes_max;
        let fits = bytes <= bytes_max;
        if fits { Ok(()) } else { Err(JournalError::RecordTooLarge { bytes, bytes_max }) }
    }

    /// Takes off what one frame can hold; `room` is a vector to use again.
    pub(super) fn take(&mut self, mut room: Vec<u8>) -> Batch {
        let cut = frame::HEADER_BYTES + self.cut();
        room.clear();
        room.resize(frame::HEADER_BYTES, 0);
        room.extend_from_slice(&self.batch[cut..]);
        self.batch.truncate(cut);
        let batch = Batch { bytes: std::mem::replace(&mut self.batch, room), first: self.first };
        self.first = batch.end();
        batch
    }

    /// How many bytes of whole records fit one frame.
    fn cut(&self) -> usize {
        let pending = self.pending_bytes();
        if pending <= self.record_bytes_max {
            return pending;
        }
        let payload = &self.batch[frame::HEADER_BYTES..];
        let starts = frame::records(payload, LogPosition(0))
            .map(|record| record.expect("these are our own").0.0 as usize);
        let cut = starts.take_while(|start| *start <= self.record_bytes_max).last().unwrap_or(0);
        let end = self.first.advance(cut);
        let severed = self.together.iter().find(|range| range.start < end && end < range.end);
        match severed {
            Some(range) if range.start > self.first => (range.start.0 - self.first.0) as usize,
            _ => cut,
        }
    }

    /// What was taken is written, and the log durable up to a position.
    pub(super) fn written_up_to(&mut self, end: LogPosition, durable: LogPosition) {
        assert!(self.durable <= durable && durable <= end && end <= self.first);
        (self.written, self.durable) = (end, durable);
        self.let_go();
    }

    /// Forgets what is durable.
    fn let_go(&mut self) {
        while self.together.pop_front_if(|range| range.end <= self.durable).is_some() {}
    }

    /// What is written is durable up to a position.
    pub(super) fn durable_up_to(&mut self, durable: LogPosition) {
        assert!(durable <= self.written);
        self.durable = self.durable.max(durable);
        self.let_go();
    }

    /// The frame that was taken is not written after all; before it, all is durable.
    pub(super) fn put_back(&mut self, mut batch: Batch) {
        assert_eq!(batch.end(), self.first);
        assert!(self.durable <= batch.first);
        (self.written, self.durable) = (batch.first, batch.first);
        batch.extend(&self.batch[frame::HEADER_BYTES..]);
        (self.batch, self.first) = (batch.bytes, batch.first);
    }
}
