//! From the text of a reading to an amount: rate times seconds since the last update.

use super::UpdateError;
use crate::live::{LAST_READING_BYTES, LastReading, LiveState};
use crate::number::digits;
use crate::sample::number_of;
use crate::{DataSource, Definition, Reading, ReadingRoom, SourceKind, UNKNOWN};

// rrdtool 1.7 adds one less than the counter lost; bit for bit equality asks for the same.
const WRAP_32_BITS: f64 = 4_294_967_295.0; // 2^32 - 1
const WRAP_64_BITS: f64 = 18_446_744_069_414_584_320.0; // 2^64 - 2^32, added to the first

/// Integers up to here are doubles.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// Takes over the readings of a sample; `amounts` gets one amount for each source.
pub(super) fn take(
    definition: &Definition,
    state: &mut LiveState,
    readings: &[Reading<'_>],
    interval_seconds: f64,
    amounts: &mut Vec<f64>,
) -> Result<(), UpdateError> {
    amounts.clear();
    let per_second = definition.tick.per_second().into();
    let interval = Interval { seconds: interval_seconds, per_second };
    let sources = definition.sources.iter().zip(&mut state.sources);
    for ((source, live), &reading) in sources.zip(readings) {
        let in_time = source.heartbeat_seconds as f64 >= interval_seconds;
        if !in_time {
            // No difference is formed across a silence longer than the heartbeat.
            live.last_reading = LastReading::UNKNOWN;
        }
        let read = source.kind.takes_readings();
        amounts.push(if read && in_time && !reading.is_unknown() {
            believed(source, &amount(source, reading, &live.last_reading, interval)?)
        } else {
            UNKNOWN
        });
        live.last_reading = LastReading::of(reading);
    }
    Ok(())
}

/// The time that an amount came in.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    /// Its length, in ticks where they are not seconds.
    pub(super) seconds: f64,
    /// How many ticks a second has.
    pub(super) per_second: f64,
}

/// An amount with the rate that it stands for.
pub(super) struct Amount {
    amount: f64,
    rate: f64,
}

/// The amount, or unknown where its rate lies outside the source's limits.
#[inline]
pub(super) fn believed(source: &DataSource, &Amount { amount, rate }: &Amount) -> f64 {
    // A comparison with NaN, be it an absent limit or an unknown rate, is false.
    if rate > source.maximum || rate < source.minimum { UNKNOWN } else { amount }
}

#[inline]
pub(super) fn amount(
    source: &DataSource,
    reading: Reading<'_>,
    last: &LastReading,
    Interval { seconds, per_second }: Interval,
) -> Result<Amount, UpdateError> {
    // Rates are told of a second, whatever the tick: what was counted in so many ticks is what so
    // many seconds would have counted, had they been as busy.
    let counted = match source.kind {
        SourceKind::Counter => wrapped(integer_difference(reading, last, false)?),
        SourceKind::Derive => integer_difference(reading, last, true)?,
        SourceKind::Dcounter | SourceKind::Dderive => {
            decimal_difference(source.kind, reading, last)?
        }
        SourceKind::Absolute => number(source.kind, reading)?,
        SourceKind::Compute(_) => UNKNOWN,
        SourceKind::Gauge => {
            let amount = number(source.kind, reading)? * seconds;
            return Ok(Amount { amount, rate: amount / seconds });
        }
    };
    let amount = counted * per_second;
    Ok(Amount { amount, rate: amount / seconds })
}

fn number(kind: SourceKind, reading: Reading<'_>) -> Result<f64, UpdateError> {
    match reading {
        Reading::Unsigned(value) if value <= EXACT => return Ok(value as f64),
        Reading::Negative(magnitude) if magnitude <= EXACT => return Ok(-(magnitude as f64)),
        _ => {}
    }
    let mut room = ReadingRoom::default();
    number_of(reading.text(&mut room))
        .map_err(|reason| UpdateError::NotANumber { kind: kind.name().into(), reason })
}

/// Adds what a counter lost when it wrapped, first guessing 32 bits, then 64.
fn wrapped(mut difference: f64) -> f64 {
    if difference < 0.0 {
        difference += WRAP_32_BITS;
    }
    if difference < 0.0 {
        difference += WRAP_64_BITS;
    }
    difference
}

fn integer_difference(
    reading: Reading<'_>,
    last: &LastReading,
    signed: bool,
) -> Result<f64, UpdateError> {
    if let Some(difference) = small_difference(reading, last) {
        return Ok(difference);
    }
    let mut room = ReadingRoom::default();
    let reading = reading.text(&mut room);
    let unsigned_part = if signed { reading.strip_prefix('-').unwrap_or(reading) } else { reading };
    if !unsigned_part.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(UpdateError::NotAnInteger { signed, reading: reading.into() });
    }
    if last.is_unknown() {
        return Ok(UNKNOWN);
    }
    Ok(difference_of_digits(reading.as_bytes(), &last.text()))
}

/// The usual case in short: two unsigned integers so near each other that every way of reading
/// their difference is exact.
fn small_difference(new: Reading<'_>, last: &LastReading) -> Option<f64> {
    let new = match new {
        Reading::Unsigned(value) => value,
        Reading::Text(text) => digits::value(text.as_bytes())?,
        Reading::Negative(_) | Reading::Unknown => return None,
    };
    let old = last.as_integer().or_else(|| digits::value(&last.text()))?;
    let magnitude = new.abs_diff(old);
    let difference = magnitude as f64;
    (magnitude <= EXACT).then_some(if new < old { -difference } else { difference })
}

/// The difference of two integers written out; unknown where their signs
/// differ, one of them has no digits, or one is longer than the format allows.
fn difference_of_digits(new: &[u8], old: &[u8]) -> f64 {
    let (Some(new), Some(old)) = (Digits::find(new), Digits::find(old)) else {
        return UNKNOWN;
    };
    if new.negative != old.negative {
        return UNKNOWN;
    }
    let magnitude = digit_by_digit(new.magnitude.abs_diff(old.magnitude));
    if (new.magnitude < old.magnitude) == new.negative { magnitude } else { -magnitude }
}

/// An integer as a double, gathered digit by digit as rrdtool reads its decimal text: beyond 2^53
/// the result differs from the nearest double in the last bits.
fn digit_by_digit(integer: u128) -> f64 {
    let mut place = 10_u128.pow(integer.checked_ilog10().unwrap_or(0));
    let mut number = 0.0;
    while place > 0 {
        number = number * 10.0 + (integer / place % 10) as f64;
        place /= 10;
    }
    number
}

struct Digits {
    negative: bool,
    magnitude: u128,
}

impl Digits {
    /// The first run of digits in a text, with the sign that precedes it.
    fn find(text: &[u8]) -> Option<Self> {
        let start = text.iter().position(u8::is_ascii_digit)?;
        let negative = text[..start].contains(&b'-');
        let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit());
        let mut magnitude = 0_u128;
        for (position, digit) in digits.enumerate() {
            if position >= LAST_READING_BYTES {
                return None;
            }
            magnitude = magnitude * 10 + u128::from(digit - b'0');
        }
        Some(Self { negative, magnitude })
    }
}

fn decimal_difference(
    kind: SourceKind,
    reading: Reading<'_>,
    last: &LastReading,
) -> Result<f64, UpdateError> {
    if last.is_unknown() {
        return Ok(UNKNOWN);
    }
    let new = number(kind, reading)?;
    let old = match last.as_integer() {
        Some(value) => number(kind, Reading::Unsigned(value))?,
        None => number(kind, Reading::of(&String::from_utf8_lossy(&last.text())))?,
    };
    let difference = new - old;
    // A DCOUNTER may count up above zero or down below it; against that direction it was reset.
    let was_reset = (difference < 0.0 && old > 0.0 && new > 0.0)
        || (difference > 0.0 && old < 0.0 && new < 0.0);
    Ok(if kind == SourceKind::Dcounter && was_reset { UNKNOWN } else { difference })
}
