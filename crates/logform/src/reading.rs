//! The encoding of readings: integers by value, everything else verbatim.

use rrd::Reading;

use varint::{Cursor, RecordError, put_varint};

/// The lead of an unsigned integer of eight bytes; the leads of negative ones follow.
const NEGATIVE: u8 = 8;
const FIRST_NEGATIVE: u8 = NEGATIVE + 1;
const UNKNOWN: u8 = 17;
const LONG_TEXT: u8 = 18;
const TEXT: u8 = 19;
const SHORT_TEXT_BYTES_MAX: usize = (u8::MAX - TEXT) as usize;

/// Appends a reading.
pub(crate) fn put(reading: Reading<'_>, out: &mut Vec<u8>) {
    match reading {
        Reading::Unsigned(value) => put_integer(0, value, out),
        Reading::Negative(magnitude) => put_integer(NEGATIVE, magnitude, out),
        Reading::Unknown => out.push(UNKNOWN),
        Reading::Text(text) => {
            if text.len() <= SHORT_TEXT_BYTES_MAX {
                out.push(TEXT + text.len() as u8);
            } else {
                out.push(LONG_TEXT);
                put_varint(text.len() as u64, out);
            }
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Decodes a reading.
pub(crate) fn take<'a>(cursor: &mut Cursor<'a>) -> Result<Reading<'a>, RecordError> {
    let lead = cursor.byte("a reading")?;
    match lead {
        ..=NEGATIVE => integer(cursor, lead).map(Reading::Unsigned),
        FIRST_NEGATIVE..UNKNOWN => integer(cursor, lead - NEGATIVE).map(Reading::Negative),
        UNKNOWN => Ok(Reading::Unknown),
        LONG_TEXT => {
            let long = |count: &u64| *count > SHORT_TEXT_BYTES_MAX as u64;
            let count = "the length of a long text";
            let count = cursor.checked(count, |cursor| cursor.varint(count), long)?;
            verbatim(cursor, count)
        }
        TEXT.. => verbatim(cursor, u64::from(lead - TEXT)),
    }
}

fn put_integer(lead: u8, value: u64, out: &mut Vec<u8>) {
    let count = (u64::BITS.div_ceil(8) - value.leading_zeros() / 8) as usize;
    let bytes = value.to_le_bytes();
    // Appends all nine bytes and then truncates: a copy of fixed length is a single store.
    let [a, b, c, d, e, f, g, h] = bytes;
    out.extend_from_slice(&[lead + count as u8, a, b, c, d, e, f, g, h]);
    out.truncate(out.len() - (bytes.len() - count));
}

fn integer(cursor: &mut Cursor<'_>, count: u8) -> Result<u64, RecordError> {
    let expected = "an integer in as few bytes as it takes";
    let start = *cursor;
    let bytes = cursor.take(usize::from(count), expected)?;
    if bytes.last() == Some(&0) {
        return Err(start.error(expected));
    }
    Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

fn verbatim<'a>(cursor: &mut Cursor<'a>, count: u64) -> Result<Reading<'a>, RecordError> {
    let expected = "a text that is neither U nor a plain integer";
    let text = |text: &&str| matches!(Reading::of(text), Reading::Text(_));
    cursor.checked(expected, |cursor| cursor.text(count, expected), text).map(Reading::Text)
}

/// The readings of an update. Their bytes are already validated.
#[derive(Clone, Debug)]
pub struct Readings<'a> {
    cursor: Cursor<'a>,
    left: usize,
}

impl<'a> Readings<'a> {
    /// Decodes `count` readings.
    pub(crate) fn decode(cursor: &mut Cursor<'a>, count: u64) -> Result<Self, RecordError> {
        let start = *cursor;
        for _ in 0..count {
            take(cursor)?;
        }
        Ok(Self { cursor: start, left: count as usize })
    }
}

impl<'a> Iterator for Readings<'a> {
    type Item = Reading<'a>;

    fn next(&mut self) -> Option<Reading<'a>> {
        self.left = self.left.checked_sub(1)?;
        take(&mut self.cursor).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Readings<'_> {}
