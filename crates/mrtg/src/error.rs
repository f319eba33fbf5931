//! What makes a configuration unusable. No message shows the text of a `Target`, because a
//! community is part of it.

use std::io;
use std::path::PathBuf;

use crate::Position;

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The main file could not be read.
    #[error("{}: cannot be read: {}", path.display(), words_of(cause))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A line, or what it set, is wrong.
    #[error("{position}: {problem}")]
    Line {
        /// Where.
        position: Position,
        /// What.
        problem: Problem,
    },
    /// Something is missing from the file as a whole.
    #[error("{}: {problem}", path.display())]
    Whole {
        /// The main file.
        path: PathBuf,
        /// What.
        problem: Problem,
    },
}

impl Error {
    pub(crate) fn at(position: &Position, problem: Problem) -> Self {
        Self::Line { position: position.clone(), problem }
    }
}

/// One mistake, without its place.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Neither a key nor a continuation.
    #[error(
        "expected `Key: value` or `Key[target]: value`, found a line that begins with `{beginning}`"
    )]
    NotALine {
        /// Its first word.
        beginning: String,
    },
    /// A key MRTG does not know, or one that does not take (or lacks) a `[target]`.
    #[error("unknown key `{key}`{hint}")]
    UnknownKey {
        /// The key as written, with `[]` if it was given a target.
        key: String,
        /// `, did you mean ...?` or nothing.
        hint: String,
    },
    /// The same key twice for one target.
    #[error("`{key}[{target}]` is given twice, first at {first}")]
    Repeated {
        /// The key.
        key: &'static str,
        /// The target's name.
        target: String,
        /// Where it was first.
        first: Position,
    },
    /// An included file cannot be read, neither from the working directory nor beside the main
    /// file.
    #[error("Include: {} cannot be read: {}", path.display(), words_of(cause))]
    Include {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Files include each other without end.
    #[error("Include: more than {limit} files are open within one another")]
    IncludeDepth {
        /// The limit.
        limit: usize,
    },
    /// The file is not in an encoding that extends ASCII.
    #[error("expected text in UTF-8 or Latin-1, found UTF-16")]
    Utf16,
    /// A value of the wrong form.
    #[error("{key}: expected {expected}, found `{found}`")]
    Value {
        /// The key, with `[target]` where it has one.
        key: String,
        /// What is accepted.
        expected: &'static str,
        /// What was written.
        found: String,
    },
    /// A `Target` that cannot be understood.
    #[error("Target[{target}], character {column}: expected {expected}")]
    Expression {
        /// The target's name.
        target: String,
        /// The character within the value, counted from 1.
        column: usize,
        /// What would have been understood there.
        expected: &'static str,
    },
    /// A key that every target needs is missing.
    #[error("target `{target}` has no {key}")]
    Missing {
        /// The target's name.
        target: String,
        /// The key.
        key: &'static str,
    },
    /// `AbsMax` below `MaxBytes`.
    #[error("AbsMax[{target}]: expected at least MaxBytes ({max_bytes}), found {abs_max}")]
    AbsMaxTooSmall {
        /// The target's name.
        target: String,
        /// The larger `MaxBytes`.
        max_bytes: f64,
        /// `AbsMax`.
        abs_max: f64,
    },
    /// A target name that cannot name a file.
    #[error("expected a target name that can name a file, found a control character in `{target}`")]
    TargetName {
        /// The name, made printable.
        target: String,
    },
    /// No place for the round robin databases.
    #[error("expected WorkDir, or LogDir with HtmlDir and ImageDir; found no {key}")]
    NoDirectory {
        /// The first that is missing.
        key: &'static str,
    },
    /// Too much of something for one configuration.
    #[error("more than {limit} {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many are possible.
        limit: usize,
    },
}

/// What the system says, without its error's number.
fn words_of(cause: &io::Error) -> String {
    let number = cause.raw_os_error();
    number.map_or_else(|| cause.to_string(), |number| errno::Errno(number).to_string())
}
