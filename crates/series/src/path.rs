//! Series by paths, as Graphite knows them.
//!
//! | in a pattern | matches |
//! |---|---|
//! | `*` | any letters except `.`, or none |
//! | `?` | one letter except `.` |
//! | `[a-c_]`, `[!a-c]` | one letter of a set, or one that is not in it |
//! | `{one,other}` | one of these, which may have the signs above |
//! | anything else, and a bracket that nothing closes | itself |

use regex::Regex;

use crate::{Kind, Labels, Rows, Unanswered, Window, WrongPattern};

/// Answers which paths there are and what their series say. The bounds of [`crate::Source`] hold.
pub trait Paths: Send + Sync {
    /// The nodes of the tree whose paths match, sorted. A node may be both, a series and a branch.
    ///
    /// # Errors
    ///
    /// [`Unanswered`].
    fn find(&self, pattern: &PathPattern) -> Result<Vec<Node>, Unanswered>;

    /// The series whose paths match, sorted, each with the rows of a window.
    ///
    /// # Errors
    /// As [`Paths::find`].
    fn select_paths(
        &self,
        pattern: &PathPattern,
        window: &Window,
    ) -> Result<Vec<SelectedPath>, Unanswered>;
}

/// A node of the tree of paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// Its path from the top, with dots.
    pub path: String,
    /// Whether it is a series.
    pub is_series: bool,
    /// Whether there are nodes below it.
    pub is_branch: bool,
}

/// A series with rows, by its path.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedPath {
    /// Its path.
    pub path: String,
    /// Its labels, which are Graphite's tags.
    pub labels: Labels,
    /// What its values are.
    pub kind: Kind,
    /// Its rows.
    pub rows: Rows,
}

/// A pattern of paths.
#[derive(Clone, Debug)]
pub struct PathPattern {
    text: String,
    parts: Vec<PathPart>,
}

/// What a part of a path, between two dots, has to match.
#[derive(Clone, Debug)]
pub enum PathPart {
    /// This text.
    Text(String),
    /// A pattern for the whole part.
    Pattern(Regex),
}

impl PathPattern {
    /// A pattern.
    ///
    /// # Errors
    ///
    /// It would take too much memory.
    pub fn new(text: &str) -> Result<Self, WrongPattern> {
        let parts = parts(text).into_iter().map(PathPart::new).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The pattern as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What each part of a path has to match.
    #[must_use]
    pub fn parts(&self) -> &[PathPart] {
        &self.parts
    }

    /// Whether a path matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let mut parts = self.parts.iter();
        let fits = path.split('.').all(|name| parts.next().is_some_and(|part| part.matches(name)));
        fits && parts.next().is_none()
    }
}

impl PathPart {
    fn new(text: &str) -> Result<Self, WrongPattern> {
        match text.contains(['*', '?', '[', '{']) {
            false => Ok(Self::Text(text.to_owned())),
            true => crate::matcher::anchored(&expression(text)).map(Self::Pattern),
        }
    }

    /// Whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Text(text) => text == name,
            Self::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// The parts between dots; a dot within braces separates none.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut all) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' if text[at..].contains('}') => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => {
                all.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => (),
        }
    }
    all.push(&text[begin..]);
    all
}

/// A part as a regular expression.
fn expression(text: &str) -> String {
    let (mut out, mut depth, mut rest) = (String::new(), 0_usize, text);
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '*' => out.push_str("[^.]*"),
            '?' => out.push_str("[^.]"),
            '{' if rest.contains('}') => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            ',' if depth > 0 => out.push('|'),
            '[' if rest.find(']').is_some_and(|end| end > 0) => {
                let (set, behind) = rest.split_once(']').unwrap_or_default();
                out.push_str(&letters(set));
                rest = behind;
            }
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

/// A set of letters as a regular expression.
fn letters(set: &str) -> String {
    let (sign, set) = match set.strip_prefix('!') {
        Some(set) if !set.is_empty() => ("^", set),
        _ => ("", set),
    };
    let escaped = |letter: char| match letter {
        '-' => "-".to_owned(),
        other => regex::escape(other.encode_utf8(&mut [0; 4])),
    };
    format!("[{sign}{}]", set.chars().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        PathPattern::new(pattern).unwrap().matches(path)
    }

    #[test]
    fn stars_stop_at_dots() {
        assert!(matches("router.*.in", "router.port1.in"));
        assert!(!matches("router.*", "router.port1.in"));
        assert!(!matches("router.*.in.*", "router.port1.in"));
        assert!(matches("r?ut*", "router"));
    }

    #[test]
    fn braces_hold_choices_with_signs_and_dots() {
        assert!(matches("a.{b*,c.d}", "a.bx"));
        assert!(matches("a.{b?,c}.e", "a.bx.e"));
        assert!(matches("{a,b[0-2]}", "b1") && !matches("{a,b[0-2]}", "b3"));
    }

    #[test]
    fn sets_hold_ranges_and_may_be_negated() {
        assert!(matches("eth[0-3]", "eth2") && !matches("eth[0-3]", "eth4"));
        assert!(matches("eth[!0-3]", "eth4") && !matches("eth[!0-3]", "eth3"));
        assert!(matches("x[^]", "x^") && matches("x[.]", "x[.]"));
    }

    #[test]
    fn what_nothing_closes_is_itself() {
        assert!(matches("a{b", "a{b") && matches("a[b", "a[b") && matches("a}b", "a}b"));
        assert!(matches("a.b+", "a.b+") && !matches("a.b+", "a.bb"));
    }
}
