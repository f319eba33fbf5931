//! Why words are no request.

use super::Command;

/// Bytes of the longest path that Linux opens (`PATH_MAX` without the NUL behind it).
pub(super) const PATH_BYTES_MAX: usize = 4095;

/// Why words are no request, in rrdcached's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// Words are missing, or are not what they should be.
    #[error("Usage: {}{}", .0.entry().name, .0.entry().operands)]
    Usage(Command),
    /// A database that begins too early.
    #[error("The first entry must be after 1980.")]
    TooEarly,
    /// A step that cannot be.
    #[error("RRD Error: step size should be no less than one second")]
    Step,
    /// A tick that is none.
    #[error("expected a tick of 1, 0.1, 0.01, 0.001, 0.0001, 0.00001 or 0.000001 seconds")]
    Tick,
    /// A path that no system has.
    #[error("The path has {0} bytes, expected {PATH_BYTES_MAX} at most.")]
    PathTooLong(usize),
    /// TUNE does not have as many words as it says.
    #[error("Invalid argument count specified: {0}")]
    Count(usize),
}
