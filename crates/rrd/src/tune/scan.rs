//! The values of tune's options, read as C's `sscanf` reads them: what follows does not count.

use crate::number::{self, Parsed, integer};
use crate::{MAX_NAME_BYTES, spec};

/// Letters of a limit; more are not looked at.
const LIMIT_BYTES: usize = 40;
/// Letters of a kind.
const KIND_BYTES: usize = 19;

/// The start of a text that has only such bytes, at most so many; `None` if it is empty.
fn prefix(text: &str, bytes_max: usize, fits: impl Fn(u8) -> bool) -> Option<(&str, &str)> {
    let count = text.bytes().take(bytes_max).take_while(|byte| fits(*byte)).count();
    text.split_at_checked(count).filter(|(prefix, _)| !prefix.is_empty())
}

/// A name, and what follows the colon behind it.
pub(super) fn name_and_rest(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = prefix(text, MAX_NAME_BYTES, spec::is_name_byte)?;
    Some((name, rest.strip_prefix(':')?))
}

/// A name alone.
pub(super) fn name(text: &str) -> Option<&str> {
    prefix(text, MAX_NAME_BYTES, spec::is_name_byte).map(|(name, _)| name)
}

/// The letters of a kind.
pub(super) fn kind(text: &str) -> Option<&str> {
    prefix(text, KIND_BYTES, |byte| byte.is_ascii_uppercase()).map(|(kind, _)| kind)
}

/// A limit: a number, or `U` for none.
pub(super) fn limit(text: &str) -> Option<f64> {
    let fits = |byte: u8| byte.is_ascii_digit() || b"U.e+-".contains(&byte);
    match prefix(text, LIMIT_BYTES, fits)?.0 {
        "U" => Some(crate::UNKNOWN),
        text => whole_number(text),
    }
}

/// A number that nothing follows.
pub(super) fn whole_number(text: &str) -> Option<f64> {
    match number::parse(text) {
        Parsed::Whole(number) => Some(number),
        _ => None,
    }
}

/// A number, whatever follows it.
pub(super) fn number(text: &str) -> Option<f64> {
    match number::parse(text) {
        Parsed::Whole(number) | Parsed::Partial(number, _) => Some(number),
        Parsed::Nothing => None,
    }
}

/// An integer as C's `atoi` reads it, 0 where there is none.
pub(super) fn integer(text: &str) -> i64 {
    integer::leading(text, false).map_or(0, |(integer, _)| integer)
}
