//! Numbers as PostScript reads them.

use std::fmt;

use crate::rounding::whole;

/// A number of at most two decimals, without zeros that say nothing.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hundredths(f, hundredths(self.0))
    }
}

/// A length in hundredths of a pixel; one that is not finite is 0.
pub(super) fn hundredths(value: f64) -> i64 {
    if value.is_finite() { whole(value * 100.0) } else { 0 }
}

/// Writes a number of hundredths.
pub(super) fn write_hundredths(out: &mut impl fmt::Write, hundredths: i64) -> fmt::Result {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    match (whole, part) {
        (whole, 0) => write!(out, "{sign}{whole}"),
        (0, part) if part % 10 == 0 => write!(out, "{sign}.{}", part / 10),
        (0, part) => write!(out, "{sign}.{part:02}"),
        (whole, part) if part % 10 == 0 => write!(out, "{sign}{whole}.{}", part / 10),
        (whole, part) => write!(out, "{sign}{whole}.{part:02}"),
    }
}
