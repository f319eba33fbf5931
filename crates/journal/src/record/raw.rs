//! A record of which only the head is read: enough to hand it to whoever decodes it.

use varint::{Cursor, RecordError};

use super::{Generation, RecordView, RrdId, kind};

/// A record of which only the head is read.
///
/// Replaying a log is one pass over millions of these; decoding them is the greater part of the
/// work and can be shared among threads.
#[derive(Clone, Copy, Debug)]
pub struct RawRecord<'a> {
    bytes: &'a [u8],
    kind: Kind,
    rrd: RrdId,
    generation: Generation,
}

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Readings came in.
    Update,
    /// An RRD was made.
    Create,
    /// It was deleted.
    Delete,
    /// It got another name.
    Rename,
    /// One of its data sources was tuned.
    Tune,
    /// The rings of its seasons were smoothed.
    Smooth,
    /// A page of its group's tiles is about to be written over in place.
    Tile,
    /// Its group's attic got pages.
    Attic,
    /// What a file holds before the samples that follow.
    Base,
    /// What was logged of a file is in it.
    Written,
    /// Values came in whose text no update keeps.
    Values,
    /// A command of several values ended.
    End,
}

impl<'a> RawRecord<'a> {
    /// Reads the head of a record that takes all of `bytes`.
    ///
    /// # Errors
    /// [`RecordError`] for a head that encoding would not have written.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let (kind, rrd, generation) = head(&mut Cursor::new(bytes))?;
        Ok(Self { bytes, kind, rrd, generation })
    }

    /// What it is about.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The RRD that it is about.
    #[must_use]
    pub fn rrd(&self) -> RrdId {
        self.rrd
    }

    /// Which holder of that id.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// All its bytes, for another thread to decode.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The fault that this is a record of another log than `expected`.
    #[must_use]
    pub fn foreign(&self, expected: &'static str) -> RecordError {
        RecordError { offset_bytes: 0, expected, found: self.bytes.first().copied() }
    }

    /// Reads the rest.
    ///
    /// # Errors
    /// As [`RecordView::decode`]. Its frame's checksum holds, so that this is a record of a newer
    /// version, or a fault of ours: no damage of the disk.
    pub fn decode(&self) -> Result<RecordView<'a>, RecordError> {
        RecordView::decode(self.bytes)
    }
}

/// Reads what every record begins with.
pub(super) fn head(cursor: &mut Cursor<'_>) -> Result<(Kind, RrdId, Generation), RecordError> {
    let start = *cursor;
    let kind = match cursor.byte("a kind of record")? {
        kind::UPDATE.. => Kind::Update,
        kind::CREATE => Kind::Create,
        kind::DELETE => Kind::Delete,
        kind::RENAME => Kind::Rename,
        kind::TUNE => Kind::Tune,
        kind::SMOOTH => Kind::Smooth,
        kind::TILE => Kind::Tile,
        kind::BASE => Kind::Base,
        kind::WRITTEN => Kind::Written,
        kind::VALUES => Kind::Values,
        kind::END => Kind::End,
        kind::ATTIC => Kind::Attic,
        _ => return Err(start.error("a kind of record")),
    };
    let rrd = RrdId(cursor.varint_u32("the id of an RRD")?);
    let generation = Generation(cursor.varint_u32("a generation")?);
    Ok((kind, rrd, generation))
}
