//! Writes a file of results.

use std::path::Path;

pub(crate) fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
