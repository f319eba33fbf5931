//! The layout of each database, read from the store when it is first needed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use std::collections::HashMap;
use store::Rooted;

use crate::layout::Layout;
use crate::texts::Texts;

/// Nothing was asked about the database yet.
const NOT_READ: u32 = 0;
/// The database is gone or cannot be read: it has no series.
const UNREADABLE: u32 = 1;
/// The number of the first layout.
const FIRST: u32 = 2;

/// The layouts of all databases, by the databases' positions.
#[derive(Debug)]
pub(crate) struct Layouts {
    of_database: Vec<AtomicU32>,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    all: Vec<Arc<Layout>>,
    numbers: HashMap<Arc<Layout>, u32>,
}

impl Layouts {
    pub(crate) fn new(databases: usize) -> Self {
        let of_database = (0..databases).map(|_| AtomicU32::new(NOT_READ)).collect();
        Self { of_database, known: RwLock::default() }
    }

    /// The number here of each layout of an earlier index, by its number there.
    pub(crate) fn numbers_of(&self, earlier: &Self) -> Vec<u32> {
        let known = earlier.known.read().unwrap_or_else(PoisonError::into_inner).all.clone();
        let numbers = known.into_iter().map(|layout| self.number(layout));
        // What could not be read is tried again.
        (0..FIRST).map(|_| NOT_READ).chain(numbers).collect()
    }

    /// Takes over what an earlier index knew of a database.
    pub(crate) fn take_over(
        &self,
        database: usize,
        earlier: &Self,
        its_position: usize,
        numbers: &[u32],
    ) {
        let number = earlier.of_database[its_position].load(Ordering::Acquire);
        // A question may have met with another layout since.
        let number = numbers.get(number as usize).copied().unwrap_or(NOT_READ);
        self.of_database[database].store(number, Ordering::Release);
    }

    /// Whether a database's layout was read.
    pub(crate) fn is_known(&self, database: usize) -> bool {
        self.of_database[database].load(Ordering::Relaxed) != NOT_READ
    }

    /// The number of a database's layout; `None` if it has none that can be read.
    pub(crate) fn number_of(&self, store: &Rooted, database: usize, names: &Texts) -> Option<u32> {
        let number = match self.of_database[database].load(Ordering::Acquire) {
            NOT_READ => self.read(store, database, names.get(database)),
            number => number,
        };
        (number != UNREADABLE).then_some(number)
    }

    fn read(&self, store: &Rooted, database: usize, name: &str) -> u32 {
        let outline = store.store().outline(&store.place(name));
        let number = outline
            .map_or(UNREADABLE, |outline| self.number(Arc::new(Layout::of(&outline.definition))));
        self.of_database[database].store(number, Ordering::Release);
        number
    }

    /// The layout of a number.
    pub(crate) fn numbered(&self, number: u32) -> Option<Arc<Layout>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.all.get(number.checked_sub(FIRST)? as usize).cloned()
    }

    fn number(&self, layout: Arc<Layout>) -> u32 {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.numbers.get(&layout) {
            return *number;
        }
        drop(known);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let number = known.all.len() as u32 + FIRST;
        if let Some(number) = known.numbers.get(&layout) {
            return *number;
        }
        known.all.push(layout.clone());
        known.numbers.insert(layout, number);
        number
    }
}
