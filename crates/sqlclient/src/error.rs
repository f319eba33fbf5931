//! What a database answers instead of doing what it was asked.

/// Why a call failed. Each has the words of the server or of the system, in one line, and no
/// password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no connection: nobody listens, the name is unknown, TLS fails, the server has too
    /// many clients.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// The deadline passed. The connection is closed.
    #[error("no answer in time: {0}")]
    TimedOut(String),
    /// The login or a privilege is refused.
    #[error("refused: {0}")]
    Refused(String),
    /// A value does not fit its column, a key exists, a row is missing that another names.
    #[error("a value is refused: {0}")]
    Constraint(String),
    /// A table, column or database is missing or of another kind, or the SQL is not understood.
    #[error("the schema differs: {0}")]
    Schema(String),
    /// The database takes no changes.
    #[error("read-only: {0}")]
    ReadOnly(String),
    /// The disk of the database is full, or its file has the size that it may have.
    #[error("full: {0}")]
    Full(String),
    /// Another transaction is in the way: the same may succeed when it is tried again.
    #[error("in use: {0}")]
    Conflict(String),
    /// The connection broke. If it was during a commit, its outcome is unknown.
    #[error("connection lost: {0}")]
    Lost(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// The variant that an error becomes.
pub(crate) type Kind = fn(String) -> Error;

impl Error {
    /// Whether the connection is closed behind this error, and another one has to be made.
    #[must_use]
    pub fn ends_connection(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::TimedOut(_) | Self::Lost(_))
    }
}

/// A message in one line.
pub(crate) fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
