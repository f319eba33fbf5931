//! Numbers as agents write them.

use crate::sent::Value;

/// A value: a decimal number stays the text that it is, so that no digit is lost.
pub(crate) fn value(text: &str) -> Option<Value<'_>> {
    if is_decimal(text) {
        return Some(Value::Text(text));
    }
    text.parse().ok().map(Value::Float)
}

/// Whether a text is digits, with a minus in front and a point among them at most.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = match digits.split_once('.') {
        Some((whole, part)) if !part.is_empty() => (whole, part),
        Some(_) => return false,
        None => (digits, ""),
    };
    !whole.is_empty()
        && text.len() < 40
        && whole.bytes().chain(part.bytes()).all(|it| it.is_ascii_digit())
}

/// Seconds with a fraction as microseconds; `None` if they are out of range or no number.
pub(crate) fn micros_of_seconds(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return seconds.checked_mul(1_000_000);
    }
    let micros = (text.parse::<f64>().ok()? * 1e6).round();
    // Larger ones would not be exact.
    (micros.abs() < 9.0e15).then_some(micros as i64)
}
