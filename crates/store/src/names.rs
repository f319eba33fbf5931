//! Selects names: by prefix, or by a pattern as in a shell.
//!
//! | in a pattern | matches |
//! |---|---|
//! | `*` | any letters except `/`, or none |
//! | `**` between slashes, or at an end | any directories, or none |
//! | `?` | one letter except `/` |
//! | `[a-c_]`, `[!a-c]`, `[^a-c]` | one letter of a set, or one that is not in it |
//! | `\` and a letter | that letter |
//! | anything else, and a `[` that nothing closes | itself |

use serde::{Deserialize, Serialize};

/// A prefix or pattern of names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct NamePattern {
    written: Written,
    /// The parts of a pattern between slashes.
    parts: Vec<Part>,
    /// The prefix of every name that matches.
    beginning: String,
}

/// The text as given, which is also its form in messages between processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Written {
    Beginning(String),
    Pattern(String),
}

/// The part of a pattern between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `**`
    Directories,
    Name(PartPattern),
}

/// A pattern for names without a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartPattern(Vec<Letter>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Letter {
    This(char),
    Any,
    /// `*`
    Many,
    Of {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
}

impl NamePattern {
    /// Matches names with this prefix.
    #[must_use]
    pub fn beginning(text: &str) -> Self {
        Written::Beginning(text.into()).into()
    }

    /// Interprets a user's text: a pattern if it has a `*`, `?` or `[`, otherwise a prefix.
    #[must_use]
    pub fn meant(text: &str) -> Self {
        match text.contains(['*', '?', '[']) {
            true => Written::Pattern(text.into()).into(),
            false => Self::beginning(text),
        }
    }

    /// The prefix of every name that matches.
    #[must_use]
    pub fn common(&self) -> &str {
        &self.beginning
    }

    /// Whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        if !name.starts_with(&self.beginning) {
            return false;
        }
        match self.written {
            Written::Beginning(_) => true,
            Written::Pattern(_) => {
                let names: Vec<&str> = name.split('/').collect();
                let is_many = |part: &Part| *part == Part::Directories;
                fits(&self.parts, &names, is_many, |part, name| match part {
                    Part::Directories => false,
                    Part::Name(pattern) => pattern.matches(name),
                })
            }
        }
    }
}

impl From<Written> for NamePattern {
    fn from(written: Written) -> Self {
        let (parts, beginning) = match &written {
            Written::Beginning(text) => (Vec::new(), text.clone()),
            Written::Pattern(text) => {
                let literal = text.split(['*', '?', '[', '\\']).next().unwrap_or_default();
                // Before `**`, a slash may match nothing, so it is not part of the prefix.
                let beginning = match text[literal.len()..].starts_with("**") {
                    true => literal.strip_suffix('/').unwrap_or(literal),
                    false => literal,
                };
                (text.split('/').map(Part::parse).collect(), beginning.to_owned())
            }
        };
        Self { written, parts, beginning }
    }
}

impl From<NamePattern> for Written {
    fn from(pattern: NamePattern) -> Self {
        pattern.written
    }
}

impl Part {
    fn parse(text: &str) -> Self {
        match text {
            "**" => Self::Directories,
            name => Self::Name(PartPattern::parse(name)),
        }
    }
}

impl PartPattern {
    /// Parses a pattern; every text is a valid one.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut letters = Vec::new();
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            letters.push(match letter {
                '*' => Letter::Many,
                '?' => Letter::Any,
                '\\' => Letter::This(rest.next().unwrap_or('\\')),
                '[' => match set(rest.as_str()) {
                    Some((set, behind)) => {
                        rest = behind.chars();
                        set
                    }
                    None => Letter::This('['),
                },
                other => Letter::This(other),
            });
        }
        Self(letters)
    }

    /// Whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        fits(&self.0, &name, |letter| *letter == Letter::Many, Letter::is)
    }
}

impl Letter {
    fn is(&self, letter: &char) -> bool {
        match self {
            Self::This(own) => own == letter,
            Self::Any => true,
            Self::Many => false,
            Self::Of { ranges, is_negated } => {
                let is_in = ranges.iter().any(|(low, high)| (low..=high).contains(&letter));
                is_in != *is_negated
            }
        }
    }
}

/// The set after a `[`, and the text after the set.
fn set(text: &str) -> Option<(Letter, &str)> {
    let negated = text.strip_prefix(['!', '^']);
    let mut rest = negated.unwrap_or(text).chars();
    let mut ranges = Vec::new();
    loop {
        let low = rest.next()?;
        if low == ']' && !ranges.is_empty() {
            let set = Letter::Of { ranges, is_negated: negated.is_some() };
            return Some((set, rest.as_str()));
        }
        let high = rest.as_str().strip_prefix('-').and_then(|behind| behind.chars().next());
        match high.filter(|high| *high != ']') {
            Some(high) => {
                rest.nth(1);
                ranges.push((low, high));
            }
            None => ranges.push((low, low)),
        }
    }
}

/// Whether a pattern matches. At a mismatch only the last wildcard takes one more item. What
/// earlier wildcards could take instead would not lead to another result. So the time is bounded
/// for every pattern.
fn fits<P, T>(
    pattern: &[P],
    things: &[T],
    is_many: impl Fn(&P) -> bool,
    is_one: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut nth) = (0, 0);
    let mut many: Option<(usize, usize)> = None;
    while nth < things.len() {
        match pattern.get(at) {
            Some(one) if is_many(one) => {
                many = Some((at, nth));
                at += 1;
            }
            Some(one) if is_one(one, &things[nth]) => (at, nth) = (at + 1, nth + 1),
            _ => {
                let Some((back, taken)) = many else { return false };
                many = Some((back, taken + 1));
                (at, nth) = (back + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(is_many)
}

/// A page of sorted names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamesPage {
    /// The names.
    pub names: Vec<String>,
    /// Where the next page begins; `None` after the last page.
    pub next: Option<String>,
}

impl NamesPage {
    /// The page of sorted names that begins at `from`.
    pub fn of(names: Vec<String>, from: &str, limit: usize) -> Self {
        let first = names.partition_point(|name| name.as_str() < from);
        let next = names.get(first.saturating_add(limit)).cloned();
        Self { names: names.into_iter().skip(first).take(limit).collect(), next }
    }
}

/// The first text, in the order of bytes, after all texts with this prefix; `None` if there is
/// none.
#[must_use]
pub fn behind_all(beginning: &str) -> Option<String> {
    let mut letters: Vec<char> = beginning.chars().collect();
    while let Some(last) = letters.pop() {
        let mut above = (last..=char::MAX).skip(1);
        if let Some(next) = above.next() {
            letters.push(next);
            return Some(letters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{NamePattern, PartPattern, behind_all};

    #[test]
    fn patterns_mean_what_a_shell_means() {
        let yes = [
            ("*", "a.rrd"),
            ("*.rrd", "a.rrd"),
            ("a?c*", "abcdef"),
            ("[a-c]x[!0-9]", "bxy"),
            ("[]x]", "]"),
            ("[a-]", "-"),
            ("*a*b*", "xxaxxbxx"),
            ("[a", "[a"),
            (r"\*", "*"),
            (r"a\", r"a\"),
        ];
        for (pattern, name) in yes {
            assert!(PartPattern::parse(pattern).matches(name), "{pattern} means {name}");
        }
        let no =
            [("*.rrd", "a.rr"), ("?", ""), ("[^a]", "a"), ("a*b", "acb2"), (r"\*", "a"), ("", "a")];
        for (pattern, name) in no {
            assert!(!PartPattern::parse(pattern).matches(name), "{pattern} does not mean {name}");
        }
        let long = PartPattern::parse(&"*a".repeat(40));
        assert!(!long.matches(&"a".repeat(39)), "nor does it take long");
    }

    #[test]
    fn a_pattern_names_directories() {
        let yes = [
            ("router*/port?.rrd", "router1/port2.rrd"),
            ("**", "a/b/c"),
            ("**/c", "c"),
            ("**/c", "a/b/c"),
            ("a/**/c", "a/c"),
            ("a/**", "a/b/c"),
            ("a/**", "a"),
            ("**/b*/**/d", "a/b1/c/d"),
            ("[r]outer", "router"),
            ("plain", "plainly"),
        ];
        for (pattern, name) in yes {
            let pattern = NamePattern::meant(pattern);
            assert!(pattern.matches(name), "{pattern:?} means {name}");
            assert!(name.starts_with(pattern.common()), "{pattern:?} {name}");
        }
        let no =
            [("*", "a/b"), ("a?b", "a/b"), ("a[/]b", "a/b"), ("*/c", "a/b/c"), ("a**b", "a/b")];
        for (pattern, name) in no {
            assert!(!NamePattern::meant(pattern).matches(name), "{pattern} does not mean {name}");
        }
        assert_eq!(NamePattern::meant("rou/ter*x").common(), "rou/ter");
        assert_eq!(NamePattern::meant("rou/**/x").common(), "rou");
    }

    #[test]
    fn a_text_lies_behind_all_that_begin_so() {
        for (beginning, behind) in [("a/", "a0"), ("\u{d7ff}", "\u{e000}"), ("a\u{10ffff}", "b")] {
            assert_eq!(behind_all(beginning).as_deref(), Some(behind));
        }
        assert_eq!(behind_all("\u{10ffff}"), None);
    }
}
