//! Changes that reach the catalogue together.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use journal::{Generation, RrdId};
use logform::definition;
use rrd::Definition;

use super::entry::{DefinitionId, GroupEntry, GroupId, RrdEntry};

/// Changes that [`Catalogue::commit`](super::Catalogue::commit) applies together, in their order.
///
/// Each names the generation of the RRD that it is about where it matters: what concerns an earlier
/// or a later holder of the place changes nothing. So the changes of a stretch of the log can be
/// applied again after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes(pub(super) Vec<Change>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    PutDefinition { id: DefinitionId, encoded: Vec<u8> },
    PutGroup { id: GroupId, entry: GroupEntry },
    RemoveGroup { id: GroupId },
    PutRrd { rrd: RrdId, entry: RrdEntry },
    Rename { rrd: RrdId, generation: Generation, name: String },
    Redefine { rrd: RrdId, generation: Generation, definition: DefinitionId },
    RemoveRrd { rrd: RrdId, generation: Generation },
    PutForeign { rrd: RrdId, bytes: Vec<u8> },
    RemoveForeign { rrd: RrdId },
    PutNamed { name: String, bytes: Vec<u8> },
}

impl Change {
    /// Does to a place what a commit of the change will do to it.
    fn apply_to(&self, place: &mut Option<RrdEntry>) {
        match self {
            Self::PutRrd { entry, .. } => {
                if place.as_ref().is_none_or(|held| held.generation < entry.generation) {
                    *place = Some(entry.clone());
                }
            }
            Self::Rename { generation, name, .. } => {
                if let Some(held) = holder(place, *generation) {
                    held.name.clone_from(name);
                }
            }
            Self::Redefine { generation, definition, .. } => {
                if let Some(held) = holder(place, *generation) {
                    held.definition = *definition;
                }
            }
            Self::RemoveRrd { generation, .. } => {
                place.take_if(|held| held.generation == *generation);
            }
            Self::PutDefinition { .. }
            | Self::PutGroup { .. }
            | Self::RemoveGroup { .. }
            | Self::PutForeign { .. }
            | Self::RemoveForeign { .. }
            | Self::PutNamed { .. } => {}
        }
    }
}

/// What stands in a place, if it is of that generation.
fn holder(place: &mut Option<RrdEntry>, generation: Generation) -> Option<&mut RrdEntry> {
    place.as_mut().filter(|held| held.generation == generation)
}

impl Changes {
    /// No change.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a definition gets its number among them.
    #[must_use]
    pub fn has_definitions(&self) -> bool {
        self.0.iter().any(|change| matches!(change, Change::PutDefinition { .. }))
    }

    /// What they make of the places that they are about: `entry` tells what a place has before, and
    /// each place comes once, with what it has after.
    ///
    /// # Errors
    /// Those of `entry`.
    pub fn places<E>(
        &self,
        entry: impl Fn(RrdId) -> Result<Option<RrdEntry>, E>,
    ) -> Result<HashMap<RrdId, Option<RrdEntry>>, E> {
        let mut places = HashMap::new();
        for change in &self.0 {
            let (Change::PutRrd { rrd, .. }
            | Change::Rename { rrd, .. }
            | Change::Redefine { rrd, .. }
            | Change::RemoveRrd { rrd, .. }) = change
            else {
                continue;
            };
            let place = match places.entry(*rrd) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(entry(*rrd)?),
            };
            change.apply_to(place);
        }
        Ok(places)
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets the first ones.
    pub fn forget_first(&mut self, count: usize) {
        self.0.drain(..count);
    }

    /// A definition gets its number. Numbers count up from zero; one that exists keeps what it
    /// has, which must be the same bit for bit.
    pub fn put_definition(&mut self, id: DefinitionId, definition: &Definition) {
        let mut encoded = Vec::new();
        definition::encode(definition, &mut encoded);
        self.0.push(Change::PutDefinition { id, encoded });
    }

    /// A group is made, or made anew in place of an earlier one.
    pub fn put_group(&mut self, id: GroupId, entry: GroupEntry) {
        self.0.push(Change::PutGroup { id, entry });
    }

    /// A group is gone. Its members are to be removed before.
    pub fn remove_group(&mut self, id: GroupId) {
        self.0.push(Change::RemoveGroup { id });
    }

    /// An RRD is made. Nothing happens where the place has this generation, or a later one,
    /// already.
    pub fn put_rrd(&mut self, rrd: RrdId, entry: RrdEntry) {
        self.0.push(Change::PutRrd { rrd, entry });
    }

    /// An RRD gets another name.
    pub fn rename(&mut self, rrd: RrdId, generation: Generation, name: &str) {
        self.0.push(Change::Rename { rrd, generation, name: name.into() });
    }

    /// An RRD gets another definition of the same layout: it was tuned.
    pub fn redefine(&mut self, rrd: RrdId, generation: Generation, definition: DefinitionId) {
        self.0.push(Change::Redefine { rrd, generation, definition });
    }

    /// An RRD is gone, with its name and what is foreign of it.
    pub fn remove_rrd(&mut self, rrd: RrdId, generation: Generation) {
        self.0.push(Change::RemoveRrd { rrd, generation });
    }

    /// What the file had, from which an RRD was imported, that gyre does not model.
    pub fn put_foreign(&mut self, rrd: RrdId, bytes: Vec<u8>) {
        self.0.push(Change::PutForeign { rrd, bytes });
    }

    /// Nothing is foreign of an RRD any more.
    pub fn remove_foreign(&mut self, rrd: RrdId) {
        self.0.push(Change::RemoveForeign { rrd });
    }

    /// A small value under a name.
    pub fn put_named(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.push(Change::PutNamed { name: name.into(), bytes });
    }
}
