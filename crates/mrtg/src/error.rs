//! Errors that make a configuration unusable. No message shows the text of a `Target`, because it
//! contains a community.

use std::io;
use std::path::PathBuf;

use crate::Position;

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The main file cannot be read.
    #[error("{}: cannot be read: {}", path.display(), words_of(cause))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A line, or a value that it set, is wrong.
    #[error("{position}: {problem}")]
    Line {
        /// The place of the line.
        position: Position,
        /// The error.
        problem: Problem,
    },
    /// A setting is missing.
    #[error("{}: {problem}", path.display())]
    Whole {
        /// The main file.
        path: PathBuf,
        /// The error.
        problem: Problem,
    },
}

impl Error {
    pub(crate) fn at(position: &Position, problem: Problem) -> Self {
        Self::Line { position: position.clone(), problem }
    }
}

/// An error, without its place.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The line is neither a key nor a continuation.
    #[error(
        "expected `Key: value` or `Key[target]: value`, found a line that begins with `{beginning}`"
    )]
    NotALine {
        /// Its first word.
        beginning: String,
    },
    /// A key that MRTG does not know, or that must have (or must not have) a `[target]`.
    #[error("unknown key `{key}`{hint}")]
    UnknownKey {
        /// The key as written, followed by `[]` if it had a target.
        key: String,
        /// `, did you mean ...?` or nothing.
        hint: String,
    },
    /// A key that was given twice for one target.
    #[error("`{key}[{target}]` is given twice, first at {first}")]
    Repeated {
        /// The key.
        key: &'static str,
        /// The target's name.
        target: String,
        /// The place of the first one.
        first: Position,
    },
    /// An included file cannot be read, neither from the working directory nor from the directory
    /// of the main file.
    #[error("Include: {} cannot be read: {}", path.display(), words_of(cause))]
    Include {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// Files include each other endlessly.
    #[error("Include: more than {limit} files are open within one another")]
    IncludeDepth {
        /// The limit.
        limit: usize,
    },
    /// The file is not in an encoding that extends ASCII.
    #[error("expected text in UTF-8 or Latin-1, found UTF-16")]
    Utf16,
    /// A value of a wrong form.
    #[error("{key}: expected {expected}, found `{found}`")]
    Value {
        /// The key, with its `[target]` if it has one.
        key: String,
        /// The expected form.
        expected: &'static str,
        /// The text that was found.
        found: String,
    },
    /// A key about the interface of a target that has not just one.
    #[error("{key}: expected a Target that measures one interface, found {found}")]
    OneInterface {
        /// The key with its target.
        key: String,
        /// How many there are.
        found: &'static str,
    },
    /// A key that needs another one.
    #[error("{key}: expected {without} too, found none")]
    Without {
        /// The key, with its `[target]` if it has one.
        key: String,
        /// The key that is missing.
        without: &'static str,
    },
    /// `RRDHWRRAs` that no database can have.
    #[error("{key}: {word}: {cause}")]
    Forecast {
        /// The key with its target.
        key: String,
        /// The archive as it is written.
        word: String,
        /// What is wrong with it.
        cause: Box<rrd::spec::SpecError>,
    },
    /// A `Target` that cannot be parsed.
    #[error("Target[{target}], character {column}: expected {expected}")]
    Expression {
        /// The target's name.
        target: String,
        /// The character within the value, counted from 1.
        column: usize,
        /// What was expected there.
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
    /// The name of a target cannot be used as a file name.
    #[error("expected a target name that can name a file, found a control character in `{target}`")]
    TargetName {
        /// The name, in printable form.
        target: String,
    },
    /// No directory for the round robin databases is set.
    #[error("expected WorkDir, or LogDir with HtmlDir and ImageDir; found no {key}")]
    NoDirectory {
        /// The first missing key.
        key: &'static str,
    },
    /// Too many of something in one configuration.
    #[error("more than {limit} {what}")]
    TooMany {
        /// The kind of thing.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// The system's message, without the error number.
pub(crate) fn words_of(cause: &io::Error) -> String {
    let number = cause.raw_os_error();
    number.map_or_else(|| cause.to_string(), |number| errno::Errno(number).to_string())
}
