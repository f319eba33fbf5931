//! The format of values on pages.

use crate::Look;

const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

/// A value of a target with its unit: `12.3 Mb/s`.
pub(crate) fn value(value: f64, look: &Look) -> String {
    scaled(value * look.factor, look.kilo, &look.unit)
}

fn scaled(shown: f64, kilo: f64, unit: &str) -> String {
    if !shown.is_finite() {
        return "–".to_owned();
    }
    let mut scaled = shown;
    let mut prefix = 0;
    while scaled.abs() >= kilo.max(2.0) && prefix + 1 < PREFIXES.len() {
        scaled /= kilo.max(2.0);
        prefix += 1;
    }
    let number = match scaled.abs() {
        _ if scaled == 0.0 => "0".to_owned(),
        ..10.0 => format!("{scaled:.2}"),
        ..100.0 => format!("{scaled:.1}"),
        _ => format!("{scaled:.0}"),
    };
    format!("{number} {}{unit}", PREFIXES[prefix])
}

/// A value with its unit, as [`value`] shows those of targets.
pub(crate) fn plain(value: f64, unit: &str) -> String {
    scaled(value, 1000.0, unit)
}

/// A whole number.
pub(crate) fn count(number: usize) -> String {
    figures::count(number as u64)
}
