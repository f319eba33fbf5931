//! Errors of command lines, in one line.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;

/// An error of a command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// The option does not exist; with its dashes.
    #[error("unknown option {0}")]
    Unknown(String),
    /// Something else was expected.
    #[error("{}", expectation(subject.as_deref(), expected, found.as_deref()))]
    Expected {
        /// The option, with its dashes; `None` for an operand.
        subject: Option<String>,
        /// What was expected.
        expected: Cow<'static, str>,
        /// What was found, if that is helpful.
        found: Option<String>,
    },
    /// Words that are valid separately, but not together, or that match nothing that exists.
    #[error("{0}")]
    Unfit(Cow<'static, str>),
}

impl Misuse {
    /// An option, given with its dashes, lacks something.
    #[must_use]
    pub fn lacks(option: impl Into<String>, expected: impl Into<Cow<'static, str>>) -> Self {
        Self::Expected { subject: Some(option.into()), expected: expected.into(), found: None }
    }

    /// The value of an option, given without its dashes, is wrong.
    #[must_use]
    pub fn value(option: &str, expected: impl Into<Cow<'static, str>>, found: &OsStr) -> Self {
        let found = if found.is_empty() { "nothing".into() } else { found.display().to_string() };
        let (subject, found) = (Some(format!("--{option}")), Some(found));
        Self::Expected { subject, expected: expected.into(), found }
    }

    /// Operands are missing or wrong.
    #[must_use]
    pub fn operands(expected: impl Into<Cow<'static, str>>) -> Self {
        Self::Expected { subject: None, expected: expected.into(), found: None }
    }

    /// The same, with what was found.
    #[must_use]
    pub fn words(expected: impl Into<Cow<'static, str>>, found: impl fmt::Display) -> Self {
        let found = Some(found.to_string());
        Self::Expected { subject: None, expected: expected.into(), found }
    }

    /// An option is given without another one that it needs; both with their dashes.
    #[must_use]
    pub fn goes_with(option: &str, with: &str) -> Self {
        Self::Unfit(format!("{option} goes with {with} alone").into())
    }

    /// An option, given without its dashes, has a value that cannot be used.
    #[must_use]
    pub fn option(option: &str, reason: impl fmt::Display) -> Self {
        Self::Unfit(format!("--{option}: {reason}").into())
    }

    /// Words that do not go together, and why.
    #[must_use]
    pub fn unfit(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Unfit(reason.into())
    }
}

fn expectation(subject: Option<&str>, expected: &str, found: Option<&str>) -> String {
    let subject = subject.map(|subject| format!("{subject}: ")).unwrap_or_default();
    let found = found.map(|found| format!(", found {found}")).unwrap_or_default();
    format!("{subject}expected {expected}{found}")
}
