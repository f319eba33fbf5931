//! What stands behind an option: numbers, names, lists of them.

use std::ffi::OsStr;

pub(super) fn text<'a>(name: &str, value: &'a OsStr) -> Result<&'a str, String> {
    value.to_str().ok_or_else(|| format!("--{name}: expected text, found {}", value.display()))
}

pub(super) fn number(name: &str, value: &OsStr, least: u64, most: u64) -> Result<u64, String> {
    let found = value.to_str().and_then(|text| text.parse::<u64>().ok());
    let expected = || format!("--{name}: expected {least} to {most}, found {}", value.display());
    found.filter(|number| (least..=most).contains(number)).ok_or_else(expected)
}

pub(super) fn page_bytes(value: &OsStr) -> Result<u64, String> {
    let bytes = number("page", value, 512, 1 << 21)?;
    let expected = || format!("--page: expected a power of two, found {bytes}");
    bytes.is_power_of_two().then_some(bytes).ok_or_else(expected)
}

/// A step as `create` takes it: `300`, `300s` or `5m`.
pub(super) fn step_seconds(value: &OsStr) -> Result<u64, String> {
    rrd::spec::step_seconds(text("step", value)?).map_err(|error| format!("--step: {error}"))
}

pub(super) fn one<T: Copy>(
    name: &str,
    value: &OsStr,
    names: &[(&'static str, T)],
) -> Result<T, String> {
    match list(name, value, names)?[..] {
        [(_, only)] => Ok(only),
        _ => Err(format!("--{name}: expected one, found {}", value.display())),
    }
}

pub(super) fn list<T: Copy>(
    name: &str,
    value: &OsStr,
    names: &[(&'static str, T)],
) -> Result<Vec<(&'static str, T)>, String> {
    let find = |word: &str| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let found = names.iter().find(|(name, _)| *name == word).copied();
        found.ok_or_else(|| format!("--{name}: expected {}, found {word}", known.join(", ")))
    };
    text(name, value)?.split(',').map(find).collect()
}

/// `4,8` or `2-20`, ascending.
pub(super) fn ranges(value: &OsStr) -> Result<Vec<u32>, String> {
    let text = text("pages", value)?;
    let wrong = || format!("--pages: expected 4,8 or 2-20, from 1 to 1000000, found {text}");
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
