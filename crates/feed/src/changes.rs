//! Which databases have news: noted by the threads that update, taken by the one that feeds.

use std::hash::{BuildHasherDefault, Hasher};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use std::collections::HashMap;
use store::{Change, Follow, Update};
use twox_hash::XxHash3_64;

/// Changes of databases that are kept; if there are more, all names are compared.
const EVENTS_MAX: usize = 10_000;

/// Notes which databases have news. Noting never waits: what cannot be noted at once makes the
/// feeder look at all databases.
#[derive(Default)]
pub struct Changes {
    index: RwLock<Index>,
    events: Mutex<Vec<Event>>,
    /// Something was not noted.
    is_unsure: AtomicBool,
    has_news: AtomicBool,
}

/// What happened to a database, other than an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Made(PathBuf),
    Tuned(PathBuf),
    Replaced(PathBuf),
    Renamed { from: PathBuf, to: PathBuf },
    Deleted(PathBuf),
}

/// The numbers of the databases that are fed, by the digests of their paths.
#[derive(Default)]
struct Index {
    numbers: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    /// A bit for each number.
    news: Vec<AtomicU64>,
}

/// Digests are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are whole numbers")
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// What was noted since it was taken last.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// The numbers of databases with updates, ascending.
    pub(crate) updated: Vec<u32>,
    /// Other changes, in their order.
    pub(crate) events: Vec<Event>,
    /// Whether there may be more than that.
    pub(crate) is_unsure: bool,
}

fn digest(path: &Path) -> u64 {
    XxHash3_64::oneshot(path.as_os_str().as_bytes())
}

impl Changes {
    /// Notes updates of the database with this path from now on.
    pub(crate) fn add(&self, path: &Path, number: u32) {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        let word = number as usize / 64;
        if index.news.len() <= word {
            index.news.resize_with((word + 1).next_power_of_two(), AtomicU64::default);
        }
        index.numbers.insert(digest(path), number);
    }

    /// Notes no more updates of this path.
    pub(crate) fn remove(&self, path: &Path) {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        index.numbers.remove(&digest(path));
    }

    /// Forgets all databases.
    pub(crate) fn clear(&self) {
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Index::default();
    }

    /// Whether there may be news.
    pub(crate) fn has_news(&self) -> bool {
        self.has_news.load(Ordering::Acquire)
    }

    /// Takes what was noted. What is noted later, of the same databases too, is news again.
    pub(crate) fn take(&self) -> News {
        self.has_news.store(false, Ordering::Release);
        let is_unsure = self.is_unsure.swap(false, Ordering::AcqRel);
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let events = std::mem::take(&mut *events);
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let mut updated = Vec::new();
        for (first, word) in (0_u32..).step_by(64).zip(&index.news) {
            let mut bits = word.swap(0, Ordering::AcqRel);
            while bits != 0 {
                updated.push(first + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        News { updated, events, is_unsure }
    }

    fn note(&self, event: Event) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < EVENTS_MAX {
            events.push(event);
        } else {
            events.clear();
            self.is_unsure.store(true, Ordering::Release);
        }
        drop(events);
        self.has_news.store(true, Ordering::Release);
    }
}

impl Follow for Changes {
    fn updated(&self, batch: &[Update<'_>]) {
        let Ok(index) = self.index.try_read() else {
            self.is_unsure.store(true, Ordering::Release);
            self.has_news.store(true, Ordering::Release);
            return;
        };
        let mut is_news = false;
        for update in batch {
            let Some(&number) = index.numbers.get(&digest(update.name)) else { continue };
            let word = &index.news[number as usize / 64];
            let bit = 1 << (number % 64);
            // Most words are written by one update in many: a look at them is cheaper.
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::AcqRel);
            }
            is_news = true;
        }
        if is_news && !self.has_news.load(Ordering::Relaxed) {
            self.has_news.store(true, Ordering::Release);
        }
    }

    fn changed(&self, name: &Path, change: Change<'_>) {
        let path = name.to_path_buf();
        self.note(match change {
            Change::Made => Event::Made(path),
            Change::Tuned => Event::Tuned(path),
            Change::Replaced => Event::Replaced(path),
            Change::Renamed(to) => Event::Renamed { from: path, to: to.into() },
            Change::Deleted => Event::Deleted(path),
        });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use store::{Change, Follow as _, Update};

    use super::{Changes, EVENTS_MAX, Event};

    #[test]
    fn updates_are_news_once() {
        let changes = Changes::default();
        changes.add(Path::new("a"), 3);
        changes.add(Path::new("b"), 64);
        let batch = ["b", "other", "a", "b"].map(|name| Update::numbered(name, &[]));
        changes.updated(&batch);
        assert!(changes.has_news());
        assert_eq!(changes.take().updated, [3, 64]);
        assert!(!changes.has_news());
        assert!(changes.take().updated.is_empty());
        changes.remove(Path::new("b"));
        changes.updated(&batch);
        assert_eq!(changes.take().updated, [3]);
    }

    #[test]
    fn an_update_while_names_change_is_not_forgotten() {
        let changes = Changes::default();
        let _held = changes.index.write().unwrap();
        changes.updated(&[Update::numbered("a", &[])]);
        drop(_held);
        assert!(changes.has_news() && changes.take().is_unsure);
    }

    #[test]
    fn too_many_changes_are_a_reason_to_compare_all() {
        let changes = Changes::default();
        changes.changed(Path::new("a"), Change::Renamed(Path::new("b")));
        let renamed = Event::Renamed { from: "a".into(), to: "b".into() };
        assert_eq!(changes.take().events, [renamed]);
        (0..=EVENTS_MAX).for_each(|_| changes.changed(Path::new("a"), Change::Tuned));
        let news = changes.take();
        assert!(news.events.is_empty() && news.is_unsure);
    }
}
