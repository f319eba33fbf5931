//! What stands behind options of this verb alone.

use std::ffi::OsStr;

use crate::misuse::Misuse;
use crate::option_values::{number, text};

pub(super) fn page_bytes(value: &OsStr) -> Result<u64, Misuse> {
    let bytes = number("page", value, 512, 1 << 21)?;
    let expected = || Misuse::value("page", "a power of two", OsStr::new(&bytes.to_string()));
    bytes.is_power_of_two().then_some(bytes).ok_or_else(expected)
}

/// A step as `create` takes it: `300`, `300s` or `5m`.
pub(super) fn step_seconds(value: &OsStr) -> Result<u64, Misuse> {
    rrd::spec::step_seconds(text("step", value)?).map_err(Misuse::Step)
}

/// `4,8` or `2-20`, ascending.
pub(super) fn ranges(value: &OsStr) -> Result<Vec<u32>, Misuse> {
    let text = text("pages", value)?;
    let wrong = || Misuse::value("pages", "4,8 or 2-20, from 1 to 1000000", value);
    let count = |word: &str| {
        word.parse::<u32>().ok().filter(|pages| (1..=1_000_000).contains(pages)).ok_or_else(wrong)
    };
    let mut pages = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (count(first)?, count(last)?);
        if first > last || last - first > 10_000 {
            return Err(wrong());
        }
        pages.extend(first..=last);
    }
    pages.sort_unstable();
    pages.dedup();
    Ok(pages)
}
