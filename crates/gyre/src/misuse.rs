//! What is wrong with a command line, in one line.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;

use rrd::spec::SpecError;

/// Why a command line is not understood.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Misuse {
    #[error("unknown option {0}")]
    Unknown(String),
    /// Nothing stands where an option needs something, or it does not go with what stands there.
    #[error("{option}: expected {expected}")]
    Lacks {
        /// With its dashes.
        option: String,
        expected: &'static str,
    },
    #[error("--{option}: expected {expected}, found {found}")]
    Value { option: &'static str, expected: Cow<'static, str>, found: String },
    #[error("--step: {0}")]
    Step(SpecError),
    #[error("--step: {} has its own", .0.display())]
    StepOfFile(PathBuf),
    #[error("--group {group}: {misuse}")]
    Group { group: String, misuse: Box<Misuse> },
    #[error("{option} goes with {with} alone")]
    GoesWith { option: &'static str, with: &'static str },
    /// Words that do not go together, and why.
    #[error("{0}")]
    Together(&'static str),
    /// What is to be worked on is missing, or is something else.
    #[error("expected {0}")]
    Operands(&'static str),
    #[error("expected {expected}, found {found}")]
    Words { expected: Cow<'static, str>, found: String },
    #[error("there is no experiment {0}")]
    Experiment(String),
}

impl Misuse {
    /// The value of an option is not what it takes. The option is named without its dashes.
    pub(crate) fn value(
        option: &'static str,
        expected: impl Into<Cow<'static, str>>,
        found: &OsStr,
    ) -> Self {
        Self::Value { option, expected: expected.into(), found: found.display().to_string() }
    }

    /// An option needs something that is not there. It is named with its dashes.
    pub(crate) fn lacks(option: impl Into<String>, expected: &'static str) -> Self {
        Self::Lacks { option: option.into(), expected }
    }
}
