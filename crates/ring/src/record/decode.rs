//! From records to events.

use std::borrow::Cow;

use journal::{RawRecord, RecordError};
use logform::{definition, is_update, take_update};
use rrd::Timestamp;
use store::SourceTuning;
use varint::Cursor;

use super::{
    ATTIC, CREATE, DELETE, Event, MICROS_PER_SECOND, PAGE_BYTES, RENAME, SMOOTH, TILE, TUNE,
};

impl<'a> Event<'a> {
    /// What a record says.
    ///
    /// # Errors
    /// [`RecordError`] for everything that encoding would not have written. The checksum of the
    /// record's frame holds, so that this is a record of a newer version, or a fault of ours: no
    /// damage of the disk.
    pub(crate) fn decode(record: &RawRecord<'a>) -> Result<Self, RecordError> {
        let mut cursor = record.body();
        let event = match record.kind() {
            kind if is_update(kind) => Self::Update(take_update(kind, &mut cursor)?),
            CREATE => create(&mut cursor)?,
            DELETE => Self::Delete,
            RENAME => Self::Rename { name: cursor.counted_text("a name")? },
            TUNE => Self::Tune(tuning(&mut cursor)?),
            SMOOTH => Self::Smooth,
            TILE => Self::Tile {
                offset_bytes: cursor.varint("the offset of a tile")?,
                page: cursor.take(PAGE_BYTES, "the bytes of a tile")?,
            },
            ATTIC => Self::Attic { growth: cursor.take(cursor.rest().len(), "pages of an attic")? },
            _ => return Err(record.foreign("a record of a ring store")),
        };
        if !cursor.rest().is_empty() {
            return Err(cursor.error("the end of the record"));
        }
        Ok(event)
    }
}

fn create<'a>(cursor: &mut Cursor<'a>) -> Result<Event<'a>, RecordError> {
    let seconds = cursor.signed("seconds")?;
    let expected = "microseconds within a second";
    let valid = |micros: &u32| *micros < MICROS_PER_SECOND;
    let micros = cursor.checked(expected, |cursor| cursor.varint_u32(expected), valid)?;
    let name = cursor.counted_text("a name")?;
    let definition = Cow::Owned(definition::decode(cursor)?);
    Ok(Event::Create { start: Timestamp { seconds, micros }, name, definition })
}

fn tuning(cursor: &mut Cursor<'_>) -> Result<SourceTuning, RecordError> {
    Ok(SourceTuning {
        source: cursor.varint_u32("the position of a source")?,
        heartbeat_seconds: cursor.varint("a heartbeat")?,
        minimum: cursor.double("a minimum")?,
        maximum: cursor.double("a maximum")?,
    })
}
