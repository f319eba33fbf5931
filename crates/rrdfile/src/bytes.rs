//! Reads and writes the fields of a header.
//!
//! A header's size is checked once against its own counts. A field within it then always exists,
//! and these functions assert that. Words are those of 64-bit little-endian machines.

use std::borrow::Cow;

use crate::FormatError;

#[expect(
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "the header that the field lies in was checked"
)]
pub(crate) fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    *bytes[offset..].first_chunk().expect("the field lies within the checked header")
}

pub(crate) fn read_count(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(array(bytes, offset))
}

pub(crate) fn read_value(bytes: &[u8], offset: usize) -> f64 {
    f64::from_bits(read_count(bytes, offset))
}

/// The text of a fixed field, up to its first NUL.
#[expect(clippy::indexing_slicing, reason = "the header that the field lies in was checked")]
pub(crate) fn read_text(bytes: &[u8], offset: usize, field_bytes: usize) -> Cow<'_, str> {
    let field = &bytes[offset..offset + field_bytes];
    let text = field.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text)
}

#[expect(clippy::indexing_slicing, reason = "the header that the field lies in was checked")]
pub(crate) fn write(bytes: &mut [u8], offset: usize, field: &[u8]) {
    bytes[offset..offset + field.len()].copy_from_slice(field);
}

pub(crate) fn write_count(bytes: &mut [u8], offset: usize, count: u64) {
    write(bytes, offset, &count.to_le_bytes());
}

pub(crate) fn write_value(bytes: &mut [u8], offset: usize, value: f64) {
    write(bytes, offset, &value.to_bits().to_le_bytes());
}

/// Fails if a number is not valid.
pub(crate) fn check(
    holds: bool,
    offset: usize,
    expected: &'static str,
    found: u64,
) -> Result<(), FormatError> {
    let offset_bytes = offset as u64;
    if holds { Ok(()) } else { Err(FormatError::Number { offset_bytes, expected, found }) }
}
