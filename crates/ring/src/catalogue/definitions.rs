//! Definitions in memory, each once.

use std::collections::HashMap;
use std::sync::Arc;

use logform::definition;
use rrd::{Definition, SampleReader};

use super::DefinitionId;

/// Definitions in memory, each once: a million RRDs share a few.
///
/// Two are the same if they are bit for bit: a limit that is absent is a NaN, which no comparison
/// of numbers takes for itself.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    all: Vec<Arc<Definition>>,
    /// For each, what splits its updates.
    readers: Vec<SampleReader>,
    /// By their encoding, which keeps every bit.
    by_bytes: HashMap<Box<[u8]>, DefinitionId>,
}

impl Definitions {
    /// No definition.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a definition, and whether it was given just now: it is then to be put into the
    /// catalogue before anything that names it.
    pub fn intern(&mut self, definition: &Definition) -> (DefinitionId, bool) {
        let mut bytes = Vec::new();
        definition::encode(definition, &mut bytes);
        if let Some(id) = self.by_bytes.get(bytes.as_slice()) {
            return (*id, false);
        }
        let next = u32::try_from(self.all.len()).expect("fewer definitions than RRDs");
        let id = DefinitionId(next);
        self.all.push(Arc::new(definition.clone()));
        self.readers.push(SampleReader::in_order(definition));
        self.by_bytes.insert(bytes.into(), id);
        (id, true)
    }

    /// The number of a definition that is known.
    #[must_use]
    pub fn find(&self, definition: &Definition) -> Option<DefinitionId> {
        let mut bytes = Vec::new();
        definition::encode(definition, &mut bytes);
        self.by_bytes.get(bytes.as_slice()).copied()
    }

    /// The definition of a number.
    #[must_use]
    pub fn get(&self, id: DefinitionId) -> Option<&Arc<Definition>> {
        self.all.get(id.0 as usize)
    }

    /// What splits the updates of a definition's databases.
    #[must_use]
    pub fn reader(&self, id: DefinitionId) -> Option<&SampleReader> {
        self.readers.get(id.0 as usize)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
