//! The values of global keys, read one by one.

use std::collections::HashMap;

use super::keys::GlobalKey;
use super::value::Value;
use crate::Error;
use crate::error::Problem;
use crate::text::excerpt;

/// The values of the global keys that are set.
pub(super) type Values = HashMap<GlobalKey, Value>;

/// The value of a key; `None` if it is not set.
pub(super) fn read<T>(
    values: &Values,
    key: GlobalKey,
    expected: &'static str,
    parse: impl Fn(&[u8]) -> Option<T>,
) -> Result<Option<T>, Error> {
    let Some(value) = values.get(&key) else {
        return Ok(None);
    };
    let problem =
        || Problem::Value { key: key.name().to_owned(), expected, found: excerpt(value.bytes()) };
    parse(value.bytes()).map(Some).ok_or_else(|| Error::at(&value.position, problem()))
}

/// Ends the path with one slash, and replaces repeated slashes.
pub(super) fn with_one_slash(bytes: &[u8]) -> Vec<u8> {
    let mut path = bytes.to_vec();
    path.push(b'/');
    path.dedup_by(|next, last| *next == b'/' && *last == b'/');
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_end_with_one_slash() {
        assert_eq!(with_one_slash(b"/a//b"), b"/a/b/");
        assert_eq!(with_one_slash(b"a///"), b"a/");
        assert_eq!(with_one_slash(b"/"), b"/");
    }
}
