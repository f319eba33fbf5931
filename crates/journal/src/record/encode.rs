//! From records to bytes.

use rrd::{Sample, Timestamp};
use varint::{put_signed, put_text, put_varint};

use super::{
    Event, Generation, MICROS_PER_SECOND, Reading, Record, RrdId, TILE_BYTES, Tuning, argument,
    definition, kind, reading,
};

impl Record {
    /// Appends the record's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match &self.event {
            Event::Update { time, readings } => {
                let texts = readings.iter().map(|text| Reading::of(text));
                put_update(self.rrd, self.generation, *time, (readings.len(), texts), out);
            }
            Event::Create { start, name, definition } => {
                self.put_head(kind::CREATE, out);
                put_signed(start.seconds, out);
                put_varint(u64::from(micros(*start)), out);
                put_text(name, out);
                definition::encode(definition, out);
            }
            Event::Delete => self.put_head(kind::DELETE, out),
            Event::Rename { name } => {
                self.put_head(kind::RENAME, out);
                put_text(name, out);
            }
            Event::Tune(tuning) => {
                self.put_head(kind::TUNE, out);
                put_tuning(tuning, out);
            }
            Event::Smooth => self.put_head(kind::SMOOTH, out),
            Event::Tile { offset_bytes, page } => {
                assert_eq!(page.len(), TILE_BYTES, "a tile is a page");
                self.put_head(kind::TILE, out);
                put_varint(*offset_bytes, out);
                out.extend_from_slice(page);
            }
            Event::Attic { growth } => {
                self.put_head(kind::ATTIC, out);
                out.extend_from_slice(growth);
            }
            Event::Base(base) => base.view().encode(self.rrd, self.generation, out),
            Event::Written { through } => {
                self.put_head(kind::WRITTEN, out);
                put_varint(through.0, out);
            }
            Event::Values { text } => {
                assert!(!argument::is_plain(text), "an update keeps this text");
                self.put_head(kind::VALUES, out);
                put_text(text, out);
            }
            Event::End { refused } => {
                self.put_head(kind::END, out);
                out.push(u8::from(*refused));
            }
        }
    }

    fn put_head(&self, kind: u8, out: &mut Vec<u8>) {
        put_head(kind, self.rrd, self.generation, out);
    }
}

/// Appends what a record that is no update begins with.
pub(super) fn put_head(kind: u8, rrd: RrdId, generation: Generation, out: &mut Vec<u8>) {
    out.push(kind);
    put_owner(rrd, generation, out);
}

/// Appends the bytes of an update, without a [`Record`] in between.
pub fn encode_update(rrd: RrdId, generation: Generation, sample: &Sample<'_>, out: &mut Vec<u8>) {
    let Sample { time, readings } = *sample;
    put_update(rrd, generation, time, (readings.len(), readings.iter().copied()), out);
}

/// No fewer bytes than the record of an update takes, its length included.
#[must_use]
pub fn update_bytes_max(readings: &[Reading<'_>]) -> usize {
    /// Kind, id, generation, time, number of readings, and the length before all of them.
    const HEAD_BYTES: usize = 1 + 5 + 5 + 10 + 3 + 10 + 10;
    /// A reading's lead, and the length of a long one or all of an integer.
    const LEAD_BYTES: usize = 1 + 10;
    let text_bytes = |reading: &Reading<'_>| match reading {
        Reading::Text(text) => text.len(),
        Reading::Unsigned(_) | Reading::Negative(_) | Reading::Unknown => 0,
    };
    let readings = readings.iter().map(|reading| LEAD_BYTES + text_bytes(reading));
    HEAD_BYTES + readings.sum::<usize>()
}

pub(super) fn put_update<'a>(
    rrd: RrdId,
    generation: Generation,
    time: Timestamp,
    (count, readings): (usize, impl Iterator<Item = Reading<'a>>),
    out: &mut Vec<u8>,
) {
    let micros = micros(time);
    let in_head = count.min(usize::from(kind::COUNT_FOLLOWS)) as u8;
    let with_micros = if micros > 0 { kind::WITH_MICROS } else { 0 };
    out.push(kind::UPDATE | with_micros | in_head);
    put_owner(rrd, generation, out);
    put_signed(time.seconds, out);
    if micros > 0 {
        put_varint(u64::from(micros), out);
    }
    if in_head == kind::COUNT_FOLLOWS {
        put_varint(count as u64, out);
    }
    readings.for_each(|reading| reading::put(reading, out));
}

fn put_owner(rrd: RrdId, generation: Generation, out: &mut Vec<u8>) {
    put_varint(u64::from(rrd.0), out);
    put_varint(u64::from(generation.0), out);
}

fn put_tuning(tuning: &Tuning, out: &mut Vec<u8>) {
    put_varint(u64::from(tuning.source), out);
    put_varint(tuning.heartbeat_seconds, out);
    out.extend_from_slice(&tuning.minimum.to_le_bytes());
    out.extend_from_slice(&tuning.maximum.to_le_bytes());
}

fn micros(time: Timestamp) -> u32 {
    assert!(time.micros < MICROS_PER_SECOND, "microseconds lie within a second");
    time.micros
}
