//! From name to RRD in memory, without the names.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;

use journal::RrdId;

/// 64 bits that stand for a name, for as long as the process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub u64);

/// From name to RRD in memory, without the names: 5.7 to 11.4 bytes for each RRD.
///
/// The table holds ids; the fingerprint of an id is kept by its group, which hands it out through a
/// closure. Names that an attacker chooses find no collision: the key is drawn anew by each
/// process.
///
/// **A name that is not in the store may look like one that is**, with odds of 5e-14 for each name
/// asked among a million. That any two of a million names in the store do has odds of 3e-8;
/// [`Names::insert`] refuses the second.
#[derive(Clone, Debug, Default)]
pub struct Names {
    key: RandomState,
    table: HashTable<u32>,
}

/// Two different names with one fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name's fingerprint is that of RRD {} already: choose another name", .holder.0)]
pub struct Clash {
    /// Whose fingerprint it is.
    pub holder: RrdId,
}

impl Names {
    /// No name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the room for so many names at once, so that loading does not grow the table again and
    /// again.
    pub fn reserve(&mut self, names: usize, fingerprint_of: impl Fn(RrdId) -> Fingerprint) {
        self.table.reserve(names, |id| fingerprint_of(RrdId(*id)).0);
    }

    /// Adds many names to a table that is empty; each is another one.
    pub fn fill(
        &mut self,
        named: impl Iterator<Item = (Fingerprint, RrdId)> + Clone,
        fingerprint_of: impl Fn(RrdId) -> Fingerprint,
    ) {
        assert!(self.is_empty());
        self.reserve(named.clone().count(), &fingerprint_of);
        for (fingerprint, rrd) in named {
            self.table.insert_unique(fingerprint.0, rrd.0, |id| fingerprint_of(RrdId(*id)).0);
        }
    }

    /// What stands for a name.
    #[must_use]
    pub fn fingerprint(&self, name: &str) -> Fingerprint {
        Fingerprint(self.key.hash_one(name))
    }

    /// The RRD with that fingerprint.
    pub fn find(
        &self,
        fingerprint: Fingerprint,
        fingerprint_of: impl Fn(RrdId) -> Fingerprint,
    ) -> Option<RrdId> {
        let same = |id: &u32| fingerprint_of(RrdId(*id)) == fingerprint;
        self.table.find(fingerprint.0, same).copied().map(RrdId)
    }

    /// Adds a name that the catalogue does not have. From here on `fingerprint_of` must know `rrd`.
    ///
    /// # Errors
    /// [`Clash`] where another name has the fingerprint.
    pub fn insert(
        &mut self,
        fingerprint: Fingerprint,
        rrd: RrdId,
        fingerprint_of: impl Fn(RrdId) -> Fingerprint,
    ) -> Result<(), Clash> {
        if let Some(holder) = self.find(fingerprint, &fingerprint_of) {
            return Err(Clash { holder });
        }
        self.table.insert_unique(fingerprint.0, rrd.0, |id| fingerprint_of(RrdId(*id)).0);
        Ok(())
    }

    /// Takes an RRD's name away; returns whether it was there.
    pub fn remove(&mut self, fingerprint: Fingerprint, rrd: RrdId) -> bool {
        match self.table.find_entry(fingerprint.0, |id| *id == rrd.0) {
            Ok(entry) => {
                entry.remove();
                true
            }
            Err(_) => false,
        }
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Bytes of memory that the table takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.table.allocation_size()
    }
}
