//! From bytes to records.

use rrd::Timestamp;
use varint::{Cursor, RecordError};

use super::raw::{Kind, head};
use super::{BaseView, EventView, MICROS_PER_SECOND, Readings, RecordView, TILE_BYTES, Tuning};
use super::{argument, definition, kind};
use crate::LogPosition;

impl<'a> RecordView<'a> {
    /// Reads a record that takes all of `bytes`.
    ///
    /// # Errors
    /// [`RecordError`] for everything that encoding would not have written.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut cursor = Cursor::new(bytes);
        let (kind, rrd, generation) = head(&mut cursor)?;
        let event = match kind {
            Kind::Update => update(&mut cursor, bytes.first().copied().unwrap_or_default())?,
            Kind::Create => create(&mut cursor)?,
            Kind::Delete => EventView::Delete,
            Kind::Rename => EventView::Rename { name: cursor.counted_text("a name")? },
            Kind::Tune => EventView::Tune(tuning(&mut cursor)?),
            Kind::Smooth => EventView::Smooth,
            Kind::Tile => EventView::Tile {
                offset_bytes: cursor.varint("the offset of a tile")?,
                page: cursor.take(TILE_BYTES, "the bytes of a tile")?,
            },
            Kind::Attic => {
                let growth = cursor.rest();
                EventView::Attic { growth: cursor.take(growth.len(), "pages of an attic")? }
            }
            Kind::Base => EventView::Base(BaseView::decode(&mut cursor)?),
            Kind::Written => {
                EventView::Written { through: LogPosition(cursor.varint("a log position")?) }
            }
            Kind::Values => EventView::Values { text: values(&mut cursor)? },
            Kind::End => EventView::End {
                refused: cursor.checked("0 or 1", |it| it.byte("0 or 1"), |byte| *byte < 2)? == 1,
            },
        };
        if !cursor.rest().is_empty() {
            return Err(cursor.error("the end of the record"));
        }
        Ok(Self { rrd, generation, event })
    }
}

fn update<'a>(cursor: &mut Cursor<'a>, head: u8) -> Result<EventView<'a>, RecordError> {
    let seconds = cursor.signed("seconds")?;
    let micros = if head & kind::WITH_MICROS == 0 {
        0
    } else {
        let expected = "microseconds, above zero and within a second";
        let valid = |micros: &u32| (1..MICROS_PER_SECOND).contains(micros);
        cursor.checked(expected, |cursor| cursor.varint_u32(expected), valid)?
    };
    let count = match head & kind::COUNT_FOLLOWS {
        kind::COUNT_FOLLOWS => {
            let expected = "a count that does not fit the head";
            let valid = |count: &u64| *count >= u64::from(kind::COUNT_FOLLOWS);
            cursor.checked(expected, |cursor| cursor.varint(expected), valid)?
        }
        in_head => u64::from(in_head),
    };
    let readings = Readings::decode(cursor, count)?;
    Ok(EventView::Update { time: Timestamp { seconds, micros }, readings })
}

fn create<'a>(cursor: &mut Cursor<'a>) -> Result<EventView<'a>, RecordError> {
    let seconds = cursor.signed("seconds")?;
    let expected = "microseconds within a second";
    let valid = |micros: &u32| *micros < MICROS_PER_SECOND;
    let micros = cursor.checked(expected, |cursor| cursor.varint_u32(expected), valid)?;
    let name = cursor.counted_text("a name")?;
    let definition = definition::decode(cursor)?;
    Ok(EventView::Create { start: Timestamp { seconds, micros }, name, definition })
}

fn values<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, RecordError> {
    let expected = "values that no update keeps";
    let odd = |text: &&str| !argument::is_plain(text);
    cursor.checked(expected, |cursor| cursor.counted_text(expected), odd)
}

fn tuning(cursor: &mut Cursor<'_>) -> Result<Tuning, RecordError> {
    Ok(Tuning {
        source: cursor.varint_u32("the position of a source")?,
        heartbeat_seconds: cursor.varint("a heartbeat")?,
        minimum: cursor.double("a minimum")?,
        maximum: cursor.double("a maximum")?,
    })
}
