//! Databases that wait for others of their layout.

use std::collections::HashMap;

use geometry::LayoutKey;
use store::{ADOPTEES_MAX, Adoptee};

/// Databases that wait for others of their layout, so that they come into the store by groups.
#[derive(Debug)]
pub struct Gathering {
    batches: HashMap<LayoutKey, Batch>,
    bytes: usize,
    bytes_max: usize,
}

#[derive(Debug, Default)]
struct Batch {
    adoptees: Vec<Adoptee>,
    bytes: usize,
}

impl Gathering {
    /// None waits. Rows of no more than `bytes_max` bytes will wait in memory, and those of the
    /// last one to come.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self { batches: HashMap::new(), bytes: 0, bytes_max }
    }

    /// One more waits. Returns those whose group is full, or which take the most memory where all
    /// together take too much; they can be [adopted](crate::Engine::adopt) together.
    #[must_use]
    pub fn push(&mut self, adoptee: Adoptee) -> Option<Vec<Adoptee>> {
        let bytes = adoptee.snapshot.rows.iter().map(|rows| size_of_val(&rows[..])).sum::<usize>();
        let key = adoptee.layout_key();
        let batch = self.batches.entry(key.clone()).or_default();
        batch.adoptees.push(adoptee);
        batch.bytes += bytes;
        self.bytes += bytes;
        if batch.adoptees.len() == ADOPTEES_MAX {
            return self.take(&key);
        }
        if self.bytes > self.bytes_max { self.take_any() } else { None }
    }

    /// Those that take the most memory; `None` if none waits.
    #[must_use]
    pub fn take_any(&mut self) -> Option<Vec<Adoptee>> {
        let key = self.batches.iter().max_by_key(|(_, batch)| batch.bytes)?.0.clone();
        self.take(&key)
    }

    fn take(&mut self, key: &LayoutKey) -> Option<Vec<Adoptee>> {
        let batch = self.batches.remove(key)?;
        self.bytes -= batch.bytes;
        Some(batch.adoptees)
    }
}
