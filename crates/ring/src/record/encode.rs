//! From events to records.

use std::sync::Arc;

use disk::Medium;
use journal::{Generation, Journal, JournalError, LogPosition, RecordHead, Records, RrdId};
use logform::{definition, put_update, update_kind};
use rrd::Sample;
use varint::{put_signed, put_text, put_varint};

use super::{
    ATTIC, CREATE, DELETE, Event, MICROS_PER_SECOND, PAGE_BYTES, RENAME, SMOOTH, TILE, TUNE,
};

/// Appends the record of an event to the log.
///
/// # Errors
/// [`JournalError::RecordTooLarge`].
pub(crate) fn append<M: Medium>(
    journal: &Journal<Arc<M>>,
    rrd: RrdId,
    generation: Generation,
    event: &Event<'_>,
) -> Result<LogPosition, JournalError> {
    let kind = event.kind();
    journal.append(RecordHead { kind, rrd, generation }, |out| event.put(out))
}

/// Appends the record of an event to others.
pub(crate) fn push(records: &mut Records, rrd: RrdId, generation: Generation, event: &Event<'_>) {
    let kind = event.kind();
    records.push(RecordHead { kind, rrd, generation }, |out| event.put(out));
}

/// Appends the record of an update to others.
pub(crate) fn push_update(
    records: &mut Records,
    rrd: RrdId,
    generation: Generation,
    sample: &Sample<'_>,
) {
    let Sample { time, readings } = *sample;
    let kind = update_kind(time, readings.len());
    records.push(RecordHead { kind, rrd, generation }, |out| {
        put_update(time, readings.len(), readings.iter().copied(), out);
    });
}

/// The bytes of the record of an update, without its length.
pub(crate) fn update_record_bytes(
    rrd: RrdId,
    generation: Generation,
    sample: &Sample<'_>,
) -> usize {
    let mut records = Records::default();
    push_update(&mut records, rrd, generation, sample);
    records.iter().map(|record| record.bytes().len()).sum()
}

impl Event<'_> {
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Update(update) => update_kind(update.time, update.readings.len()),
            Self::Create { .. } => CREATE,
            Self::Delete => DELETE,
            Self::Rename { .. } => RENAME,
            Self::Tune(_) => TUNE,
            Self::Smooth => SMOOTH,
            Self::Tile { .. } => TILE,
            Self::Attic { .. } => ATTIC,
        }
    }

    /// Appends the body.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Update(update) => {
                let readings = update.readings.clone();
                put_update(update.time, readings.len(), readings, out);
            }
            Self::Create { start, name, definition } => {
                assert!(start.micros < MICROS_PER_SECOND, "microseconds lie within a second");
                put_signed(start.seconds, out);
                put_varint(u64::from(start.micros), out);
                put_text(name, out);
                definition::encode(definition, out);
            }
            Self::Rename { name } => put_text(name, out),
            Self::Tune(tuning) => {
                put_varint(u64::from(tuning.source), out);
                put_varint(tuning.heartbeat_seconds, out);
                out.extend_from_slice(&tuning.minimum.to_le_bytes());
                out.extend_from_slice(&tuning.maximum.to_le_bytes());
            }
            Self::Tile { offset_bytes, page } => {
                assert_eq!(page.len(), PAGE_BYTES, "a tile is a page");
                put_varint(*offset_bytes, out);
                out.extend_from_slice(page);
            }
            Self::Attic { growth } => out.extend_from_slice(growth),
            Self::Delete | Self::Smooth => {}
        }
    }
}
