//! Words behind a command, as paths and numbers.

use super::Wrong;
use super::wrong::PATH_BYTES_MAX;

/// A word that is a path, if it is not longer than paths are. Longer ones are refused here, before
/// anything looks at them: a walk along a path of a megabyte takes minutes.
pub(super) fn path(word: &[u8]) -> Result<&[u8], Wrong> {
    if word.len() > PATH_BYTES_MAX { Err(Wrong::PathTooLong(word.len())) } else { Ok(word) }
}

/// A decimal integer at the start of a word, as `atoi` reads it.
pub(super) fn number(word: &[u8]) -> Option<i64> {
    rrd::number::integer::leading(text_at_start(word), false).map(|(number, _)| number)
}

/// An integer in any of C's notations at the start of a word; `None` too where it does not fit.
pub(super) fn any_base(word: &[u8]) -> Option<i64> {
    let (number, _) = rrd::number::integer::leading(text_at_start(word), true)?;
    // A number that does not fit was cut to one of the limits: it is refused.
    Some(number).filter(|number| !matches!(*number, i64::MIN | i64::MAX))
}

/// The part of a word that is text.
fn text_at_start(word: &[u8]) -> &str {
    match std::str::from_utf8(word) {
        Ok(text) => text,
        Err(error) => {
            let text = word.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(text).unwrap_or_default()
        }
    }
}
