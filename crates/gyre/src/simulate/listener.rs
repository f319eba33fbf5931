//! The receiver of updates.

use capacity::trace_text::{Files, Line};

use super::failure::Failure;

/// Receives updates: one call of `files` first, then every event.
pub(super) trait Listener {
    fn files(&mut self, files: &Files) -> Result<(), Failure>;
    fn line(&mut self, line: Line<'_>) -> Result<(), Failure>;
}
