//! Splits a line into its parts.

use crate::text::{is_space, trim, trim_start};

/// The parts of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'l> {
    /// Begins with a space: continues the previous line.
    Continuation(&'l [u8]),
    /// `Key[name]: value`; the value may be empty.
    Targeted { key: &'l [u8], name: &'l [u8], value: &'l [u8] },
    /// `Key: value`.
    Global { key: &'l [u8], value: &'l [u8] },
}

/// Splits a line; `None` if it is not valid.
pub(super) fn split(line: &[u8]) -> Option<Line<'_>> {
    if line.first().is_some_and(|byte| is_space(*byte)) {
        return Some(Line::Continuation(trim(line)));
    }
    targeted(line).or_else(|| global(line))
}

/// Letters, digits and `*`, then a name in brackets. The name ends at the last bracket before a
/// colon, so it may contain brackets, but no spaces.
fn targeted(line: &[u8]) -> Option<Line<'_>> {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'*';
    let key_end = line.iter().position(|byte| !is_key(byte)).filter(|end| *end > 0)?;
    let (key, rest) = line.split_at_checked(key_end)?;
    let rest = rest.strip_prefix(b"[")?;
    let word_end = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
    let word = rest.get(..word_end)?;
    let closes = |at: &usize| {
        let after = rest.get(at + 1..).unwrap_or_default();
        // Only after a bracket at the end of a word can spaces precede the colon. Elsewhere the
        // next byte is not a space, and trimming has no effect.
        word.get(*at) == Some(&b']') && trim_start(after).first() == Some(&b':')
    };
    let close = (1..word.len()).rev().find(closes)?;
    let value = trim_start(rest.get(close + 1..)?).get(1..)?;
    Some(Line::Targeted { key, name: rest.get(..close)?, value: trim(value) })
}

/// A word that ends with a colon (the last one, if a value follows directly), and a value.
fn global(line: &[u8]) -> Option<Line<'_>> {
    let word_end = line.iter().position(|byte| is_space(*byte)).unwrap_or(line.len());
    let mut colons = (1..word_end).rev().filter(|at| line.get(*at) == Some(&b':'));
    colons.find_map(|colon| {
        let value = trim(line.get(colon + 1..)?);
        (!value.is_empty()).then_some(Line::Global { key: line.get(..colon)?, value })
    })
}

/// The pattern after `Include:` at the very beginning of a line.
pub(super) fn include_pattern(line: &[u8]) -> Option<&[u8]> {
    let (word, value) = line.split_at_checked(b"include:".len())?;
    let value = trim(value);
    (word.eq_ignore_ascii_case(b"include:") && !value.is_empty()).then_some(value)
}

/// The first word of a line, for an error message. The rest is not shown, because it may contain a
/// community, or a password as in `SnmpOptions` that was broken into two lines. If the first word
/// may contain a community, as in a `Target` that was broken into two lines, the result is only
/// dots.
pub(super) fn beginning(line: &[u8]) -> &[u8] {
    let stops = |byte: &u8| is_space(*byte) || matches!(byte, b':' | b'[' | b'=' | b'\'' | b'"');
    let end = line.iter().position(stops).unwrap_or(line.len());
    if line.contains(&b'@') && line.get(end) != Some(&b'[') {
        return "…".as_bytes();
    }
    line.get(..end.min(40)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_a_target_are_split() {
        let expected = Line::Targeted { key: b"Title", name: b"a.b-1", value: b"x [y]: z" };
        assert_eq!(split(b"Title[a.b-1] :  x [y]: z"), Some(expected));
        let empty = Line::Targeted { key: b"PageTop", name: b"^", value: b"" };
        assert_eq!(split(b"PageTop[^]:"), Some(empty));
        let brackets = Line::Targeted { key: b"Title", name: b"a]:[b", value: b"x" };
        assert_eq!(split(b"Title[a]:[b]:x"), Some(brackets));
    }

    #[test]
    fn global_keys_are_split() {
        assert_eq!(split(b"WorkDir:/a b"), Some(Line::Global { key: b"WorkDir", value: b"/a b" }));
        let tool = Line::Global { key: b"routers.cgi*Icon[a]", value: b"x" };
        assert_eq!(split(b"routers.cgi*Icon[a]: x"), Some(tool));
        assert_eq!(
            split(b"Interval:5:30"),
            Some(Line::Global { key: b"Interval:5", value: b"30" })
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in ["WorkDir:", "WorkDir /a", "Title[a b]", ":", "[a]: b"] {
            assert_eq!(split(wrong.as_bytes()).is_some(), wrong == "[a]: b", "{wrong}");
        }
    }

    #[test]
    fn includes_begin_in_the_first_column() {
        assert_eq!(include_pattern(b"INCLUDE: a.cfg \r"), Some(&b"a.cfg"[..]));
        assert_eq!(include_pattern(b" Include: a.cfg"), None);
        assert_eq!(include_pattern(b"Include:"), None);
    }
}
