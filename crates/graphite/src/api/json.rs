//! JSON, written as it is made: an answer has a hundred thousand numbers.

use crate::number_text::append_float;

/// Appends a text in quotes.
pub(crate) fn append_text(out: &mut Vec<u8>, text: &str) {
    // Writing to memory cannot fail, and every text has a form.
    let _ = serde_json::to_writer(out, text);
}

/// Appends a number as graphite-web does: `null` for what is unknown, `1e9999` for what is
/// infinite.
pub(crate) fn append_number(out: &mut Vec<u8>, number: f64) {
    match number {
        finite if finite.is_finite() => append_float(out, finite),
        unknown if unknown.is_nan() => out.extend_from_slice(b"null"),
        f64::INFINITY => out.extend_from_slice(b"1e9999"),
        _ => out.extend_from_slice(b"-1e9999"),
    }
}

/// Appends things with commas between them.
pub(crate) fn append_all<T>(
    out: &mut Vec<u8>,
    all: impl IntoIterator<Item = T>,
    mut append: impl FnMut(&mut Vec<u8>, T),
) {
    for (nth, one) in all.into_iter().enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        append(out, one);
    }
}

/// A list of texts.
pub(crate) fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut out = vec![b'['];
    append_all(&mut out, all, append_text);
    out.push(b']');
    out
}
