//! What the catalogue holds, decoded and checked.

use journal::RrdId;
use logform::definition;
use rrd::Definition;
use varint::{Cursor, RecordError};

use super::entry::{DefinitionId, GroupEntry, GroupId, RrdView};
use super::error::Failure;

/// One thing that the catalogue holds.
#[derive(Debug)]
pub enum Loaded<'a> {
    /// A definition. They come first, numbered from zero without a gap.
    Definition(DefinitionId, Definition),
    /// A group. They come second, in the order of their ids. Its layout may name a definition that
    /// there is not: that costs this group, and no other.
    Group(GroupId, GroupEntry),
    /// An RRD. They come last, in the order of their ids: group after group.
    Rrd(RrdId, RrdView<'a>),
}

pub(super) fn check_definition(
    rrd: u32,
    definition: DefinitionId,
    definitions: u32,
) -> Result<(), Failure> {
    if definition.0 < definitions {
        return Ok(());
    }
    let found = definition.0;
    Err(Failure::Value(format!("rrd {rrd}: definition {found} of {definitions}")))
}

pub(super) fn decode(bytes: &[u8]) -> Result<Definition, RecordError> {
    let mut cursor = Cursor::new(bytes);
    let definition = definition::decode(&mut cursor)?;
    if cursor.rest().is_empty() { Ok(definition) } else { Err(cursor.error("the end")) }
}
