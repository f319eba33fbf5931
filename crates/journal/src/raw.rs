//! A record as the log has it: whom it is about, and bytes that its owner understands.
//!
//! ```text
//!   1          kind; what it says is the owner's
//!   varint     RRD id
//!   varint     generation
//!   ...        body, the owner's
//! ```

use varint::{Cursor, RecordError, put_varint};

/// Which RRD of a store, for as long as it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RrdId(pub u32);

/// How often an id was given to a new RRD: a record of a deleted RRD is not taken for one of its
/// successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

/// What every record begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// What the record says, in a number of its owner's.
    pub kind: u8,
    /// The RRD that it is about.
    pub rrd: RrdId,
    /// Which holder of that id.
    pub generation: Generation,
}

/// A record of which only the head is read.
///
/// Replaying a log is one pass over millions of these; decoding them is the greater part of the
/// work and can be shared among threads.
#[derive(Clone, Copy, Debug)]
pub struct RawRecord<'a> {
    bytes: &'a [u8],
    head: RecordHead,
    body: Cursor<'a>,
}

impl RecordHead {
    /// Appends its bytes.
    pub fn put(self, out: &mut Vec<u8>) {
        out.push(self.kind);
        put_varint(u64::from(self.rrd.0), out);
        put_varint(u64::from(self.generation.0), out);
    }
}

impl<'a> RawRecord<'a> {
    /// Reads the head of a record that takes all of `bytes`.
    ///
    /// # Errors
    /// [`RecordError`] for a head that [`RecordHead::put`] would not have written.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut cursor = Cursor::new(bytes);
        let kind = cursor.byte("a kind of record")?;
        let rrd = RrdId(cursor.varint_u32("the id of an RRD")?);
        let generation = Generation(cursor.varint_u32("a generation")?);
        Ok(Self { bytes, head: RecordHead { kind, rrd, generation }, body: cursor })
    }

    /// What it begins with.
    #[must_use]
    pub fn head(&self) -> RecordHead {
        self.head
    }

    /// What it says, in a number of its owner's.
    #[must_use]
    pub fn kind(&self) -> u8 {
        self.head.kind
    }

    /// The RRD that it is about.
    #[must_use]
    pub fn rrd(&self) -> RrdId {
        self.head.rrd
    }

    /// Which holder of that id.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.head.generation
    }

    /// All its bytes, for another thread to decode.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// A cursor at what follows the head; its errors count from the record's first byte.
    #[must_use]
    pub fn body(&self) -> Cursor<'a> {
        self.body
    }

    /// The fault that this is no record of a kind that its owner knows.
    #[must_use]
    pub fn foreign(&self, expected: &'static str) -> RecordError {
        Cursor::new(self.bytes).error(expected)
    }
}
