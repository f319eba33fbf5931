//! Who is told of updates.

use capacity::trace_text::{Files, Line};

use super::failure::Failure;

/// Is told of updates: first `files`, once, then every event.
pub(super) trait Listener {
    fn files(&mut self, files: &Files) -> Result<(), Failure>;
    fn line(&mut self, line: Line<'_>) -> Result<(), Failure>;
}
