//! Why words are no fault.

use super::names;

/// Why words are no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The devices are missing.
    #[error("expected KIND[=VALUE]:DEVICES, found {0}")]
    Form(String),
    /// There is no such fault.
    #[error("expected one of {}, found {found}", names::all())]
    Kind {
        /// What was written.
        found: String,
    },
    /// The value does not fit the fault.
    #[error("{kind}: expected {expected}, found {found}")]
    Value {
        /// The fault's name.
        kind: &'static str,
        /// What its value is.
        expected: &'static str,
        /// What it was.
        found: String,
    },
    /// The devices cannot be understood.
    #[error(
        "expected devices as all, 10%, 7, 3-9, 127.16.0.7 or several of the last three with \
         commas, found {0}"
    )]
    Devices(String),
}
