//! Definitions get their numbers.

use rrd::Definition;

use super::CatalogueWriter;
use crate::catalogue::{DefinitionId, Definitions};

/// The number of a definition, which the catalogue learns with the next commit.
pub(super) fn intern(
    definitions: &mut Definitions,
    definition: &Definition,
    catalogue_writer: &mut CatalogueWriter,
) -> DefinitionId {
    let (number, is_new) = definitions.intern(definition);
    if is_new {
        catalogue_writer.changes.put_definition(number, definition);
    }
    number
}
