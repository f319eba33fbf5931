//! The values of options that only this verb has.

use ::options::{Misuse, Value};

pub(super) fn page_bytes(value: &Value) -> Result<u64, Misuse> {
    let bytes = value.number(512..=1 << 21)?;
    bytes.is_power_of_two().then_some(bytes).ok_or_else(|| value.wrong("a power of two"))
}

/// A step as `create` takes it: `300`, `300s` or `5m`.
pub(super) fn step_seconds(text: &str) -> Result<u64, Misuse> {
    rrd::spec::step_seconds(text).map_err(|error| Misuse::option("step", error))
}

/// `4,8` or `2-20`, ascending.
pub(super) fn ranges(value: &Value) -> Result<Vec<u32>, Misuse> {
    let text = value.text()?;
    let wrong = || value.wrong("4,8 or 2-20, from 1 to 1000000");
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
