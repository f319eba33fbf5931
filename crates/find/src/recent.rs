//! The lists of chunks that came recently: targets that follow each other say nearly the same.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;

use crate::field::Field;
use crate::lexicon::ListId;
use crate::too_large::TooLarge;

/// How many chunks are known at most; a power of two. The ports of a device come again with the
/// next device, so that some hundreds of chunks are all that a network says.
const PLACES: usize = 4096;

/// A chunk in a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkKey<'c> {
    pub(crate) chunk: &'c str,
    pub(crate) field: Field,
    /// Whether a name begins with it.
    pub(crate) is_beginning: bool,
}

/// The lists that a document with a chunk belongs to.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) atoms: Vec<ListId>,
    pub(crate) compounds: Vec<ListId>,
}

/// Chunks, each at the place that its hash gives it; another one of that place takes it.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    places: Vec<Known>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Known {
    chunk: String,
    /// `None` while nothing is known.
    field: Option<Field>,
    is_beginning: bool,
    lists: Lists,
}

impl Recent {
    /// The lists of a chunk; `find` finds those of one that is not known.
    ///
    /// # Errors
    /// Those of `find`. The chunk is then not known.
    pub(crate) fn lists(
        &mut self,
        key: &ChunkKey<'_>,
        find: impl FnOnce(&mut Lists) -> Result<(), TooLarge>,
    ) -> Result<&Lists, TooLarge> {
        if self.places.is_empty() {
            self.places.resize_with(PLACES, Known::default);
        }
        let hash = self.hasher.hash_one((key.chunk, key.field, key.is_beginning));
        let known = &mut self.places[hash as usize % PLACES];
        if !known.is(key) {
            known.field = None;
            known.lists.atoms.clear();
            known.lists.compounds.clear();
            find(&mut known.lists)?;
            known.learn(key);
        }
        Ok(&known.lists)
    }
}

impl Known {
    fn is(&self, key: &ChunkKey<'_>) -> bool {
        self.field == Some(key.field)
            && self.is_beginning == key.is_beginning
            && self.chunk == key.chunk
    }

    fn learn(&mut self, key: &ChunkKey<'_>) {
        self.chunk.clear();
        self.chunk.push_str(key.chunk);
        self.field = Some(key.field);
        self.is_beginning = key.is_beginning;
    }
}

#[cfg(test)]
mod tests {
    use super::{ChunkKey, Recent};
    use crate::field::Field;

    #[test]
    fn lists_are_looked_for_once_while_a_chunk_is_known() {
        let (mut recent, mut looked) = (Recent::default(), 0);
        let mut ask = |chunk, field, is_beginning| {
            let key = ChunkKey { chunk, field, is_beginning };
            let found = recent.lists(&key, |_| {
                looked += 1;
                Ok(())
            });
            found.expect("it is small");
            looked
        };
        assert_eq!(ask("core", Field::NAME, true), 1);
        assert_eq!(ask("core", Field::NAME, true), 1);
        assert_eq!(ask("core", Field::NAME, false), 2);
        assert_eq!(ask("core", Field::TITLE, false), 3);
        assert_eq!(ask("edge", Field::TITLE, false), 4);
    }
}
