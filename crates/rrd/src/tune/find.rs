//! Looking a data source up.

use super::TuneError;
use crate::Definition;

/// The position of a source.
pub(super) fn find(definition: &Definition, name: &str) -> Result<usize, TuneError> {
    let found = definition.sources.iter().position(|source| source.name == name);
    found.ok_or_else(|| TuneError::UnknownSource(name.into()))
}
