//! A value of the wrong kind, told before it is sent.

use crate::Value;

/// A value that does not fit the type that the statement has for it.
#[derive(Debug, thiserror::Error)]
#[error("expected a value of type {expected}, found {found:?}")]
pub(super) struct Misfit {
    pub(super) expected: String,
    pub(super) found: Value,
}
