//! What can be wrong about a rule.

/// Why a text has no rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongRule {
    /// It is no TOML, or has other keys.
    #[error("{0}")]
    Form(String),
    /// A rule, counted from 1.
    #[error("rule {nth}: {why}")]
    Rule {
        /// Which one.
        nth: usize,
        /// What is wrong about it.
        why: Box<Self>,
    },
    /// Braces that are not paired, or have no name in them.
    #[error("{text}: expected {what}")]
    Braces {
        /// The text.
        text: String,
        /// What was expected.
        what: &'static str,
    },
    /// A name that the pattern of the rule does not have.
    #[error("{text}: expected one of {known} in braces, found {name}")]
    Unknown {
        /// The name.
        name: String,
        /// The text that has it.
        text: String,
        /// The names that there are.
        known: String,
    },
    /// A name twice in a pattern.
    #[error("expected each name once in a pattern of databases, found {name} twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A pattern that would take too much memory.
    #[error("{text}: the pattern is too long")]
    TooLong {
        /// The pattern.
        text: String,
    },
    /// A label that cannot be one.
    #[error("expected a label's name of letters, digits and `_`, found {name}")]
    Label {
        /// The name.
        name: String,
    },
}
