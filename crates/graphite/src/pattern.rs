//! Regular expressions of functions, which Graphite has in Python's words.

use regex::{Regex, RegexBuilder};

use crate::Error;

const PATTERN_BYTES_MAX: usize = 1 << 20;

/// A pattern that may match anywhere in a name.
pub(crate) fn pattern(text: &str) -> Result<Regex, Error> {
    let wrong =
        |error: regex::Error| Error::Pattern { pattern: text.to_owned(), why: error.to_string() };
    RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build().map_err(wrong)
}

/// What stands for a match: Python's `\1` and `\g<name>` in the form of the crate `regex`.
pub(crate) fn replacement(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$']) {
        out.push_str(&rest[..at]);
        let sign = &rest[at..=at];
        rest = &rest[at + 1..];
        if sign == "$" {
            out.push_str("$$");
            continue;
        }
        let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let named = rest.strip_prefix("g<").and_then(|it| it.split_once('>'));
        if digits > 0 {
            out.extend(["${", &rest[..digits], "}"]);
            rest = &rest[digits..];
        } else if let Some((name, behind)) = named {
            out.extend(["${", name, "}"]);
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('\\') {
            out.push('\\');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('n') {
            out.push('\n');
            rest = behind;
        } else {
            out.push('\\');
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_those_of_python() {
        let replaced = |pattern_text: &str, with: &str| {
            pattern(pattern_text).unwrap().replace_all("a.b", replacement(with)).into_owned()
        };
        assert_eq!(replaced(r"(\w)\.(\w)", r"\2$1\1"), "b$1a");
        assert_eq!(replaced(r"(?P<x>\w)\.b", r"\g<x>z"), "az");
        assert!(pattern("(?=a)").is_err());
    }
}
