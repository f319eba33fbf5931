//! Finds databases by their names. The index is made when somebody first searches, and anew in the
//! background when the store told of other names, or may have some that it did not tell of.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use access::Scope;
use store::{Change, Follow, Rooted, Update};

use super::name_list::{NameIndex, NameList};

/// How old an index is at least when it is made anew because of new names.
const AGE_LEAST: Duration = Duration::from_secs(2);
/// How old it is when the names are read again, as other programs may have made some.
const AGE_MAX: Duration = Duration::from_secs(60);
/// It is so many times as old as the time that it took to be made: making it takes little of the
/// processor, however many names there are.
const TIMES_AS_OLD: u32 = 20;

/// The names of a store's databases.
#[derive(Clone)]
pub struct Names(Arc<Shared>);

struct Shared {
    store: Rooted,
    /// Whether names came, changed or went since the index was made.
    changed: Arc<Changed>,
    state: Mutex<State>,
    /// Held by who makes the first index: others wait for it.
    first: Mutex<()>,
}

#[derive(Default)]
struct State {
    made: Option<Made>,
    is_being_made: bool,
}

#[derive(Clone)]
struct Made {
    index: Arc<NameIndex>,
    at: Instant,
    took: Duration,
}

/// What a search found.
#[derive(Debug)]
pub(crate) struct NamesFound {
    pub(crate) total: usize,
    /// The best of them.
    pub(crate) names: Vec<String>,
    pub(crate) is_mistyped: bool,
    pub(crate) query: find::Query,
}

/// Why nothing can be found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotFound {
    /// The names cannot be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// They are too many.
    #[error(transparent)]
    TooLarge(#[from] find::TooLarge),
}

impl Names {
    /// The names of a store.
    #[must_use]
    pub fn of(store: Rooted) -> Self {
        let changed = Arc::new(Changed::default());
        // A store that tells nobody is read again now and then.
        let _: bool = store.store().follow(Arc::clone(&changed) as Arc<dyn Follow>);
        let (state, first) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { store, changed, state, first }))
    }

    /// The databases whose names have all words, of those that a scope sees: at most `limit`.
    ///
    /// # Errors
    /// See [`NotFound`].
    pub(crate) fn find(
        &self,
        scope: &Scope,
        text: &str,
        limit: usize,
    ) -> Result<NamesFound, NotFound> {
        let index = self.index()?;
        let query = index.index.query(text);
        let found = index.search(scope, &query, limit);
        let names = found.documents.iter().map(|nth| index.names.get(*nth as usize).to_owned());
        Ok(NamesFound {
            total: found.total,
            names: names.collect(),
            is_mistyped: found.is_mistyped,
            query,
        })
    }

    fn index(&self) -> Result<Arc<NameIndex>, NotFound> {
        let made = self.0.lock().made.clone();
        let Some(made) = made else { return self.0.first_index() };
        if self.0.is_old(&made) && self.0.begins_to_make() {
            let shared = Arc::clone(&self.0);
            let over = Over(Arc::clone(&shared));
            let thread = std::thread::Builder::new().name("gyre-find".to_owned());
            // If the system gives no thread, the next one who searches tries again.
            let _begun = thread.spawn(move || {
                let _over = over;
                // If the store cannot be read, the index stays as it is for some time.
                let anew = shared.made_anew(Some(&made.index));
                let anew = anew.unwrap_or(Made { at: Instant::now(), ..made });
                shared.lock().made = Some(anew);
            });
        }
        let now = self.0.lock().made.as_ref().map(|made| Arc::clone(&made.index));
        now.map_or_else(|| self.0.first_index(), Ok)
    }
}

/// Ends the making of an index, also after a panic and where no thread was to be had.
struct Over(Arc<Shared>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.lock().is_being_made = false;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first_index(&self) -> Result<Arc<NameIndex>, NotFound> {
        let _first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &self.lock().made {
            return Ok(Arc::clone(&made.index));
        }
        let made = self.made_anew(None)?;
        let index = Arc::clone(&made.index);
        self.lock().made = Some(made);
        Ok(index)
    }

    fn is_old(&self, made: &Made) -> bool {
        let age = made.at.elapsed();
        let least = AGE_LEAST.max(made.took * TIMES_AS_OLD);
        age > least && (self.changed.0.load(Ordering::Relaxed) || age > AGE_MAX)
    }

    /// Whether this thread is the one that makes the index.
    fn begins_to_make(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_being_made, true)
    }

    /// The index of the present names: the earlier one if they are the same.
    fn made_anew(&self, earlier: Option<&Arc<NameIndex>>) -> Result<Made, NotFound> {
        let begin = Instant::now();
        self.changed.0.store(false, Ordering::Relaxed);
        let names = NameList::read(&self.store)?;
        let index = match earlier.filter(|earlier| earlier.names == names) {
            Some(earlier) => Arc::clone(earlier),
            None => Arc::new(NameIndex::new(names)?),
        };
        Ok(Made { index, at: Instant::now(), took: begin.elapsed() })
    }
}

/// Is told by the store of names.
#[derive(Debug, Default)]
struct Changed(AtomicBool);

impl Follow for Changed {
    fn updated(&self, _: &[Update<'_>]) {}

    fn changed(&self, _: &Path, change: Change<'_>) {
        if matches!(change, Change::Made | Change::Renamed(_) | Change::Deleted) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
