//! The encoding of an update: the readings of one time.

use rrd::{Reading, Timestamp};
use varint::{Cursor, RecordError, put_signed, put_varint};

use crate::reading::{self, Readings};

/// The bit that marks a kind as an update.
const UPDATE: u8 = 0x80;
/// The bit of such a kind that tells that microseconds follow.
const WITH_MICROS: u8 = 0x40;
/// The bits of such a kind with the number of readings; this value if a count follows.
const COUNT_FOLLOWS: u8 = 0x3f;

const MICROS_PER_SECOND: u32 = 1_000_000;

/// Readings of one time, borrowed from their bytes.
#[derive(Clone, Debug)]
pub struct Update<'a> {
    /// The time of the readings.
    pub time: Timestamp,
    /// One for each data source.
    pub readings: Readings<'a>,
}

/// Whether a record of this kind is an update.
#[must_use]
pub fn is_update(kind: u8) -> bool {
    kind >= UPDATE
}

/// The kind of an update with this many readings.
#[must_use]
pub fn update_kind(time: Timestamp, count: usize) -> u8 {
    let with_micros = if time.micros > 0 { WITH_MICROS } else { 0 };
    UPDATE | with_micros | in_kind(count)
}

/// Appends an update with `count` readings, without its kind and owner.
///
/// # Panics
///
/// The microseconds are a second or more.
pub fn put_update<'a>(
    time: Timestamp,
    count: usize,
    readings: impl Iterator<Item = Reading<'a>>,
    out: &mut Vec<u8>,
) {
    assert!(time.micros < MICROS_PER_SECOND, "microseconds lie within a second");
    put_signed(time.seconds, out);
    if time.micros > 0 {
        put_varint(u64::from(time.micros), out);
    }
    if in_kind(count) == COUNT_FOLLOWS {
        put_varint(count as u64, out);
    }
    readings.for_each(|reading| reading::put(reading, out));
}

/// Decodes what [`put_update`] appended after a kind.
///
/// # Errors
///
/// [`RecordError`] for everything that [`put_update`] would not write.
pub fn take_update<'a>(kind: u8, cursor: &mut Cursor<'a>) -> Result<Update<'a>, RecordError> {
    let seconds = cursor.signed("seconds")?;
    let micros = if kind & WITH_MICROS == 0 {
        0
    } else {
        let expected = "microseconds, above zero and within a second";
        let valid = |micros: &u32| (1..MICROS_PER_SECOND).contains(micros);
        cursor.checked(expected, |cursor| cursor.varint_u32(expected), valid)?
    };
    let count = match kind & COUNT_FOLLOWS {
        COUNT_FOLLOWS => {
            let expected = "a count that does not fit the head";
            let valid = |count: &u64| *count >= u64::from(COUNT_FOLLOWS);
            cursor.checked(expected, |cursor| cursor.varint(expected), valid)?
        }
        in_kind => u64::from(in_kind),
    };
    let readings = Readings::decode(cursor, count)?;
    Ok(Update { time: Timestamp { seconds, micros }, readings })
}

/// An upper bound for the bytes of an update's record, including its owner and its length.
#[must_use]
pub fn update_bytes_max(readings: &[Reading<'_>]) -> usize {
    /// Kind, id, generation, time, number of readings, and the length before all of them.
    const HEAD_BYTES: usize = 1 + 5 + 5 + 10 + 3 + 10 + 10;
    /// The lead of a reading, and the length of a long text or all of an integer.
    const LEAD_BYTES: usize = 1 + 10;
    let text_bytes = |reading: &Reading<'_>| match reading {
        Reading::Text(text) => text.len(),
        Reading::Unsigned(_) | Reading::Negative(_) | Reading::Unknown => 0,
    };
    let readings = readings.iter().map(|reading| LEAD_BYTES + text_bytes(reading));
    HEAD_BYTES + readings.sum::<usize>()
}

fn in_kind(count: usize) -> u8 {
    count.min(usize::from(COUNT_FOLLOWS)) as u8
}
