//! The values of a target's keys that stand for themselves: numbers, sizes, words.

use super::globals::leading_digits;
use super::keys::TargetKey as Key;
use super::target_keys::Keys;
use crate::error::Problem;
use crate::text::excerpt;
use crate::{Error, Options, Periods, RowCounts};

pub(super) const WHOLE: &str = "a whole number above 0";

pub(super) fn digits(value: &[u8]) -> Option<f64> {
    let only_digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    only_digits.then(|| finite(value)).flatten()
}

pub(super) fn above_zero(value: &[u8]) -> Option<f64> {
    digits(value).filter(|number| *number > 0.0)
}

pub(super) fn finite(value: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

pub(super) fn pixels(value: &[u8], most: u32) -> Option<u32> {
    let size = u32::try_from(leading_digits(value)?).ok()?;
    (30..=most).contains(&size).then_some(size)
}

pub(super) fn max_bytes(keys: &Keys<'_>) -> Result<[f64; 2], Error> {
    let both = keys.read(Key::MaxBytes, WHOLE, above_zero)?;
    let one = |key| match keys.read(key, WHOLE, above_zero)?.or(both) {
        Some(own) => Ok(own),
        None => keys.require(Key::MaxBytes).map(|_| 0.0),
    };
    Ok([one(Key::MaxBytes1)?, one(Key::MaxBytes2)?])
}

pub(super) fn abs_max(keys: &Keys<'_>, [first, second]: [f64; 2]) -> Result<Option<f64>, Error> {
    let Some(abs_max) = keys.read(Key::AbsMax, "a whole number", digits)? else {
        return Ok(None);
    };
    let max_bytes = first.max(second);
    if abs_max >= max_bytes {
        return Ok(Some(abs_max));
    }
    let position = keys.get(Key::AbsMax).map_or(&keys.raw.position, |value| &value.position);
    let target = keys.name.clone();
    Err(Error::at(position, Problem::AbsMaxTooSmall { target, max_bytes, abs_max }))
}

pub(super) fn options(keys: &Keys<'_>) -> Result<Options, Error> {
    let Some(value) = keys.get(Key::Options) else {
        return Ok(Options::default());
    };
    let expected = "words such as growright, bits, gauge";
    Options::parse(value.bytes())
        .map_err(|word| keys.wrong(value, Key::Options, expected, excerpt(&word)))
}

pub(super) fn periods(keys: &Keys<'_>, key: Key) -> Result<Periods, Error> {
    let expected = "letters of d, w, m, y, or n for none";
    Ok(keys.read(key, expected, Periods::parse)?.unwrap_or_default())
}

/// Zero or an empty value means MRTG's default number of rows.
pub(super) fn row_counts(keys: &Keys<'_>) -> Result<RowCounts, Error> {
    let count = |value: &[u8]| -> Option<u64> {
        let rows: u32 =
            if value.is_empty() { 0 } else { std::str::from_utf8(value).ok()?.parse().ok()? };
        Some(rows.into())
    };
    let rows = |key| -> Result<Option<u64>, Error> {
        Ok(keys.read(key, "a number of rows", count)?.filter(|rows| *rows > 0))
    };
    Ok(RowCounts {
        step: rows(Key::RRDRowCount)?,
        half_hour: rows(Key::RRDRowCount30m)?,
        two_hours: rows(Key::RRDRowCount2h)?,
        day: rows(Key::RRDRowCount1d)?,
    })
}
