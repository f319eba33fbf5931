//! Which databases have news: noted by the threads that update, taken by the one that feeds.

use std::hash::{BuildHasherDefault, Hasher};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use std::collections::{HashMap, HashSet};
use store::{Change, Follow, Update};
use twox_hash::XxHash3_64;

/// Changes of databases that are kept. If there are more, all names are compared.
const EVENTS_MAX: usize = 10_000;
/// Databases that were replaced and whose names are kept. If there are more, all begin anew.
const REPLACED_MAX: usize = 100_000;

/// Notes which databases have news. Whoever notes waits at most for a number to be put into the
/// index, never for a database or a disk.
#[derive(Default)]
pub struct Changes {
    index: RwLock<Index>,
    other: Mutex<Other>,
    has_news: AtomicBool,
}

/// What happened besides updates.
#[derive(Default)]
struct Other {
    events: Vec<Event>,
    /// Databases that were replaced. A comparison of names does not find them, so they are kept
    /// where events are too many.
    replaced: HashSet<PathBuf>,
    /// More were replaced than are kept.
    all_replaced: bool,
    /// Events were too many.
    is_unsure: bool,
}

/// What happened to a database, other than an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Made(PathBuf),
    Tuned(PathBuf),
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
    /// Databases whose rows are others than before, under the names that they have after `events`.
    pub(crate) replaced: HashSet<PathBuf>,
    /// Whether more than these may have been replaced.
    pub(crate) all_replaced: bool,
    /// Whether there may be more events than that.
    pub(crate) is_unsure: bool,
}

fn digest(path: &Path) -> u64 {
    XxHash3_64::oneshot(path.as_os_str().as_bytes())
}

impl Changes {
    /// Notes updates of the database with this path from now on.
    pub(crate) fn add(&self, path: &Path, number: u32) {
        self.index.write().unwrap_or_else(PoisonError::into_inner).add(path, number);
    }

    /// Notes no more updates of this path.
    pub(crate) fn remove(&self, path: &Path) {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        index.numbers.remove(&digest(path));
    }

    /// Notes updates of these databases and no others from now on. Updates that were noted are
    /// forgotten: all databases have to be looked at after this.
    pub(crate) fn know(&self, databases: impl Iterator<Item = (PathBuf, u32)>) {
        let mut index = Index::default();
        databases.for_each(|(path, number)| index.add(&path, number));
        // Only now, so that nobody who notes waits for all of them.
        let old = {
            let mut known = self.index.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *known, index)
        };
        drop(old);
    }

    /// Whether there may be news.
    pub(crate) fn has_news(&self) -> bool {
        self.has_news.load(Ordering::Acquire)
    }

    /// Takes what was noted. What is noted later, of the same databases too, is news again.
    pub(crate) fn take(&self) -> News {
        self.has_news.store(false, Ordering::Release);
        let Other { events, replaced, all_replaced, is_unsure } =
            std::mem::take(&mut *self.other());
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let mut updated = Vec::new();
        for (first, word) in (0_u32..).step_by(64).zip(&index.news) {
            let mut bits = word.swap(0, Ordering::AcqRel);
            while bits != 0 {
                updated.push(first + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        News { updated, events, replaced, all_replaced, is_unsure }
    }

    /// Puts back what was taken and could not be fed, but for updates: whoever takes it again looks
    /// at all databases first.
    pub(crate) fn put_back(&self, news: News) {
        let mut other = self.other();
        let since = std::mem::take(&mut *other);
        other.events = news.events;
        other.replaced = news.replaced;
        other.all_replaced = news.all_replaced | since.all_replaced;
        other.is_unsure = news.is_unsure | since.is_unsure;
        since.events.into_iter().for_each(|event| other.note(event));
        since.replaced.into_iter().for_each(|path| other.replace(path));
        drop(other);
        self.has_news.store(true, Ordering::Release);
    }

    fn other(&self) -> MutexGuard<'_, Other> {
        self.other.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Index {
    fn add(&mut self, path: &Path, number: u32) {
        let word = number as usize / 64;
        if self.news.len() <= word {
            self.news.resize_with((word + 1).next_power_of_two(), AtomicU64::default);
        }
        self.numbers.insert(digest(path), number);
    }
}

impl Other {
    fn note(&mut self, event: Event) {
        // What was replaced is known by the name that it has at last.
        match &event {
            Event::Renamed { from, to } if self.replaced.remove(from) => self.replace(to.clone()),
            Event::Deleted(path) => {
                self.replaced.remove(path);
            }
            _ => {}
        }
        if self.events.len() < EVENTS_MAX {
            self.events.push(event);
        } else {
            self.events.clear();
            self.is_unsure = true;
        }
    }

    fn replace(&mut self, path: PathBuf) {
        self.all_replaced |= self.replaced.len() >= REPLACED_MAX;
        if self.all_replaced {
            self.replaced.clear();
        } else {
            self.replaced.insert(path);
        }
    }
}

impl Follow for Changes {
    fn updated(&self, batch: &[Update<'_>]) {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
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
        let mut other = self.other();
        match change {
            Change::Made => other.note(Event::Made(path)),
            Change::Tuned => other.note(Event::Tuned(path)),
            Change::Replaced => other.replace(path),
            Change::Renamed(to) => other.note(Event::Renamed { from: path, to: to.into() }),
            Change::Deleted => other.note(Event::Deleted(path)),
        }
        drop(other);
        self.has_news.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use store::{Change, Follow as _, Update};

    use super::{Changes, EVENTS_MAX, Event, REPLACED_MAX};

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
        changes.add(Path::new("a"), 1);
        let held = changes.index.write().unwrap();
        std::thread::scope(|scope| {
            let updating = scope.spawn(|| changes.updated(&[Update::numbered("a", &[])]));
            std::thread::sleep(std::time::Duration::from_millis(20));
            drop(held);
            updating.join().unwrap();
        });
        assert_eq!(changes.take().updated, [1]);
    }

    #[test]
    fn what_was_replaced_is_kept_under_its_last_name() {
        let changes = Changes::default();
        let [a, b, c] = ["a", "b", "c"].map(Path::new);
        changes.changed(a, Change::Replaced);
        changes.changed(a, Change::Renamed(b));
        changes.changed(c, Change::Replaced);
        changes.changed(c, Change::Deleted);
        (0..=EVENTS_MAX).for_each(|_| changes.changed(a, Change::Tuned));
        let news = changes.take();
        assert!(news.is_unsure && !news.all_replaced);
        assert_eq!(news.replaced, [b.to_path_buf()].into());
        // What could not be fed is news again, before what came since.
        changes.changed(b, Change::Renamed(c));
        changes.put_back(news);
        assert!(changes.has_news());
        assert_eq!(changes.take().replaced, [c.to_path_buf()].into());
    }

    #[test]
    fn where_too_many_were_replaced_all_were() {
        let changes = Changes::default();
        for nth in 0..=REPLACED_MAX {
            changes.changed(Path::new(&nth.to_string()), Change::Replaced);
        }
        let news = changes.take();
        assert!(news.all_replaced && news.replaced.is_empty());
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
