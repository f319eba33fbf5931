//! Which series are meant: conditions on labels, as Prometheus has them.

use regex::{Regex, RegexBuilder};

use crate::Labels;
use crate::literals::Literals;

/// The most bytes that a compiled pattern takes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// A condition on a label. A series without the label has it with an empty value.
#[derive(Clone, Debug)]
pub struct Matcher {
    /// The label's name.
    pub label: String,
    /// How the value is compared.
    pub comparison: Comparison,
    /// The text or pattern.
    pub value: String,
    pattern: Option<Whole>,
}

/// A pattern for whole values.
#[derive(Clone, Debug)]
struct Whole {
    regex: Regex,
    literals: Literals,
}

/// How a label's value is compared with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `=~`: the pattern matches the whole value.
    Matches,
    /// `!~`
    MatchesNot,
}

/// A pattern that is no regular expression, or a too large one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is no regular expression: {why}")]
pub struct WrongPattern {
    /// The pattern.
    pub pattern: String,
    /// What is wrong about it.
    pub why: String,
}

impl Matcher {
    /// A condition.
    ///
    /// # Errors
    ///
    /// The pattern of a condition by pattern is wrong.
    pub fn new(label: &str, comparison: Comparison, value: &str) -> Result<Self, WrongPattern> {
        let pattern = match comparison {
            Comparison::Equal | Comparison::NotEqual => None,
            Comparison::Matches | Comparison::MatchesNot => {
                Some(Whole { regex: anchored(value)?, literals: Literals::of(value) })
            }
        };
        Ok(Self { label: label.to_owned(), comparison, value: value.to_owned(), pattern })
    }

    /// Whether a label's value meets the condition.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        let fits = self.pattern.as_ref().map_or(value == self.value, |it| it.matches(value));
        fits != matches!(self.comparison, Comparison::NotEqual | Comparison::MatchesNot)
    }

    /// Whether a series meets the condition.
    #[must_use]
    pub fn takes(&self, labels: &Labels) -> bool {
        self.matches(labels.get(&self.label))
    }
}

impl Whole {
    /// Most values are decided on without the regular expression, ten times as fast.
    fn matches(&self, value: &str) -> bool {
        match &self.literals.all {
            Some(all) => all.binary_search_by(|it| it.as_slice().cmp(value.as_bytes())).is_ok(),
            None => self.literals.may_match(value) && self.regex.is_match(value),
        }
    }
}

/// The pattern for whole values. A dot matches line breaks too, as it does in Prometheus.
pub(crate) fn anchored(pattern: &str) -> Result<Regex, WrongPattern> {
    let wrong =
        |error: regex::Error| WrongPattern { pattern: pattern.to_owned(), why: error.to_string() };
    // By itself first: a bracket in the pattern must not close the group around it.
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build().map_err(wrong)?;
    RegexBuilder::new(&format!("^(?s:{pattern})$"))
        .size_limit(PATTERN_BYTES_MAX)
        .build()
        .map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_values() {
        let matcher = Matcher::new("if", Comparison::Matches, "eth.|lo").unwrap();
        assert!(matcher.matches("eth0") && matcher.matches("lo") && !matcher.matches("eth01"));
        let matcher = Matcher::new("if", Comparison::MatchesNot, "eth.").unwrap();
        assert!(matcher.matches("lo") && matcher.matches("") && !matcher.matches("eth1"));
    }

    #[test]
    fn a_pattern_cannot_leave_its_group() {
        let error = Matcher::new("if", Comparison::Matches, "a)|(b").unwrap_err();
        assert_eq!(error.pattern, "a)|(b");
    }

    #[test]
    fn a_pattern_that_would_take_much_memory_is_refused() {
        let error = Matcher::new("if", Comparison::Matches, "(a{500}){500}").unwrap_err();
        assert!(error.why.contains("size limit"), "{error}");
    }
}
