//! The format of values on pages.

use crate::Look;

const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

/// A value of a target with its unit: `12.3 Mb/s`.
pub(crate) fn value(value: f64, look: &Look) -> String {
    with_unit(value * look.factor, look.kilo, &look.unit)
}

/// The same of a number that may not be known.
pub(crate) fn of(number: Option<f64>, kilo: f64, unit: &str) -> String {
    with_unit(number.unwrap_or(f64::NAN), kilo, unit)
}

/// A round number, without zeros behind its point.
pub(crate) fn round(number: f64, kilo: f64, unit: &str) -> String {
    let shown = with_unit(number, kilo, unit);
    match shown.split_once(' ') {
        Some((digits, rest)) => format!("{} {rest}", without_zeros(digits)),
        None => without_zeros(&shown).to_owned(),
    }
}

fn without_zeros(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

/// A number as it is shown, with a prefix and its unit. `kilo` is what `k` means.
pub(crate) fn with_unit(shown: f64, kilo: f64, unit: &str) -> String {
    if !shown.is_finite() {
        return "–".to_owned();
    }
    let kilo = kilo.max(2.0);
    let mut scaled = shown;
    let mut prefix = 0;
    while scaled.abs() >= kilo && prefix + 1 < PREFIXES.len() {
        scaled /= kilo;
        prefix += 1;
    }
    let number = match scaled.abs() {
        _ if scaled == 0.0 => "0".to_owned(),
        ..10.0 => format!("{scaled:.2}"),
        ..100.0 => format!("{scaled:.1}"),
        _ => format!("{scaled:.0}"),
    };
    format!("{number} {}{unit}", PREFIXES[prefix]).trim_end().to_owned()
}

/// A whole number.
pub(crate) fn count(number: usize) -> String {
    figures::count(number as u64)
}
