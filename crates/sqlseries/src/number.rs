//! Values of SQL as numbers.

use rrd::number;
use sqlclient::Value;

/// A value as a number: of a text, the number that it begins with.
pub(crate) fn number_of(value: &Value) -> f64 {
    match value {
        Value::Null => f64::NAN,
        Value::Integer(number) => *number as f64,
        Value::Real(number) => *number,
        Value::Text(text) => number_of_text(text),
        Value::Bytes(bytes) => number_of_text(&String::from_utf8_lossy(bytes)),
    }
}

/// The number that a text begins with.
pub(crate) fn number_of_text(text: &str) -> f64 {
    match number::parse(text) {
        number::Parsed::Whole(number) | number::Parsed::Partial(number, _) => number,
        number::Parsed::Nothing => f64::NAN,
    }
}
