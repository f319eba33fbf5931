//! What is wrong about the text of a board.

use std::fmt;

/// What is wrong about the text of a board, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct WrongBoard {
    /// The line, counted from 1; `None` if it is about the whole text.
    pub line: Option<usize>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong, without its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text is no TOML, or has keys that are not a board's; in the words of its reader.
    #[error("{0}")]
    Form(String),
    /// The text is too long, or no text.
    #[error("expected at most {most} bytes of text in UTF-8")]
    Text {
        /// The most bytes.
        most: usize,
    },
    /// A span of time cannot be read.
    #[error(
        "{key}: expected a span from {least} to {most}, such as 30s, 5m, 6h or 7d, found {found:?}"
    )]
    Span {
        /// Its key.
        key: &'static str,
        /// The shortest one.
        least: &'static str,
        /// The longest one.
        most: &'static str,
        /// What stands there.
        found: String,
    },
    /// A number is out of its bounds.
    #[error("{key}: expected {least} to {most}, found {found}")]
    Number {
        /// Its key.
        key: &'static str,
        /// The least.
        least: i64,
        /// The most.
        most: i64,
        /// What stands there.
        found: i64,
    },
    /// Words are missing, or too many.
    #[error("{key}: expected 1 to {most} bytes, found {found}")]
    Words {
        /// Their key.
        key: &'static str,
        /// The most bytes.
        most: usize,
        /// How many bytes stand there.
        found: usize,
    },
    /// A list of names is empty or too long.
    #[error("{key}: expected 1 to {most} names, found {found}")]
    Names {
        /// Their key.
        key: &'static str,
        /// The most names.
        most: usize,
        /// How many stand there.
        found: usize,
    },
    /// A panel is about nothing, or about several things.
    #[error("a panel: expected one of target, find, database, promql and graphite, found {found}")]
    Subject {
        /// What stands there.
        found: String,
    },
    /// A key does not go with what the panel is about.
    #[error("{key}: expected with {with} only")]
    Beside {
        /// The key.
        key: &'static str,
        /// The keys that it goes with.
        with: &'static str,
    },
    /// There are no panels, or too many.
    #[error("expected 1 to {most} panels in [[row]] and [[row.panel]], found {found}")]
    Panels {
        /// The most panels.
        most: usize,
        /// How many there are.
        found: usize,
    },
}

impl fmt::Display for WrongBoard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line}: {}", self.fault),
            None => write!(formatter, "{}", self.fault),
        }
    }
}
