//! What can be wrong with a request.

use series::{Unanswered, WrongPattern};

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A target that is not of the language.
    #[error("{target:?}, byte {at}: expected {expected}")]
    Syntax {
        /// The target, or its beginning.
        target: String,
        /// Where it is wrong, bytes from its start.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// Graphite may have the function, but it is not one of ours.
    #[error("there is no function {name:?} here: /functions lists those that there are")]
    UnknownFunction {
        /// Its name.
        name: String,
    },
    /// An argument of the wrong kind.
    #[error("{function}(), {parameter}: expected {expected}, found {found}")]
    Argument {
        /// The function.
        function: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it takes.
        expected: String,
        /// What was given.
        found: String,
    },
    /// An argument is missing.
    #[error("{function}(): expected an argument for {parameter}")]
    Missing {
        /// The function.
        function: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// More arguments than parameters.
    #[error("{function}(): expected at most {most} arguments, found {found}")]
    TooManyArguments {
        /// The function.
        function: &'static str,
        /// How many it takes.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// A named argument that the function does not have, or that is given twice.
    #[error("{function}(): expected the name of a parameter not yet given, found {name:?}")]
    UnexpectedName {
        /// The function.
        function: &'static str,
        /// The name.
        name: String,
    },
    /// What a function needs of its series does not hold.
    #[error("{function}(): expected {expected}")]
    Series {
        /// The function.
        function: &'static str,
        /// What it needs.
        expected: String,
    },
    /// A pattern that is no regular expression.
    #[error("{pattern:?} is no regular expression: {why}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong about it.
        why: String,
    },
    /// A condition on a tag that is none.
    #[error(
        "{text:?}: expected a condition on a tag: tag=value, tag!=value, tag=~pattern or \
             tag!=~pattern"
    )]
    TagCondition {
        /// The condition.
        text: String,
    },
    /// Conditions that a series without any tag would meet.
    #[error("expected at least one condition on a tag that an empty value does not meet")]
    EveryTag,
    /// A time that is none.
    #[error("{text:?}: expected a time, {expected}")]
    Time {
        /// The text.
        text: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A parameter of the request.
    #[error("parameter {name}: expected {expected}, found {found:?}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it was.
        found: String,
    },
    /// A parameter of the request is missing.
    #[error("expected a parameter {name}")]
    NoParameter {
        /// Its name.
        name: &'static str,
    },
    /// Calls within calls, too deep.
    #[error("expected calls at most {most} deep")]
    Depth {
        /// How deep they may be.
        most: usize,
    },
    /// The request would take too much memory or work.
    #[error(
        "expected at most {most} {what} in all steps of a request: ask for fewer series, a shorter \
         time or a coarser step"
    )]
    TooMuch {
        /// What there would be too many of.
        what: &'static str,
        /// How many there may be.
        most: u64,
    },
    /// The time for the request is over.
    #[error("the request was not finished in time")]
    Stopped,
    /// The source does not answer.
    #[error(transparent)]
    Source(#[from] Unanswered),
    /// A pattern of paths or of a tag's values.
    #[error(transparent)]
    WrongPattern(#[from] WrongPattern),
    /// The picture cannot be drawn.
    #[error("the picture: {0}")]
    Picture(String),
}

impl Error {
    /// The HTTP status for it: 400 for what another request can mend, 503 if there was no time, 500
    /// if the store failed.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Stopped => 503,
            Self::Source(Unanswered::Unreadable { .. } | Unanswered::Store(_)) => 500,
            _ => 400,
        }
    }
}
