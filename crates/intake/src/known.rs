//! Series that were met before.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rrd::{Definition, Tick};
use siphasher::sip128::{Hasher128 as _, SipHasher13};
use store::Led;

use crate::changes::Changed;
use crate::reach::Senders;

/// What a series' key is found by: 128 bits that nobody else can foresee.
pub(crate) type KeyHash = u128;

/// A series that was met.
#[derive(Debug)]
pub(crate) enum Met {
    /// Its database.
    Kept(Database),
    /// A rule drops it.
    Dropped,
}

impl Met {
    /// The path of its database.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Kept(database) => Some(database.path()),
            Self::Dropped => None,
        }
    }

    /// Whether it says for good what becomes of samples.
    pub(crate) fn is_of_use(&self) -> bool {
        match self {
            Self::Kept(database) => database.takes_any(),
            Self::Dropped => true,
        }
    }
}

/// A database, and how a sample's values become its readings.
#[derive(Debug)]
pub(crate) struct Database {
    /// By what it was found.
    pub(crate) key: KeyHash,
    /// What it is called.
    name: Box<str>,
    /// Where that leads, if it is no path of the store by itself.
    led: Option<Box<Led>>,
    pub(crate) tick: Tick,
    /// For each source that takes readings the position of its value in a sample; `None` where a
    /// sample has none.
    pub(crate) order: Box<[Option<u16>]>,
    /// How many values a sample had when this was found out.
    values: u32,
}

impl Database {
    /// A database, for samples whose values go by these names. A single value belongs to a single
    /// source, whatever their names.
    pub(crate) fn new(
        key: KeyHash,
        name: &str,
        led: &Led,
        definition: &Definition,
        values: &[&str],
    ) -> Self {
        let sources = definition.sources.iter().filter(|source| source.kind.takes_readings());
        let sources: Vec<&str> = sources.map(|source| source.name.as_str()).collect();
        let place = |source: &&str| {
            let is_alone = sources.len() == 1 && values.len() == 1;
            let at = values.iter().position(|value| is_alone || value == source);
            at.and_then(|at| u16::try_from(at).ok())
        };
        Self {
            key,
            name: name.into(),
            led: (!is_plain(led, name)).then(|| Box::new(led.clone())),
            tick: definition.tick,
            order: sources.iter().map(place).collect(),
            values: values.len() as u32,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.led.as_ref().map_or_else(|| Path::new(&*self.name), |led| &led.path)
    }

    /// Whether a sender may reach it. Where names lead over links, those may have changed.
    pub(crate) fn is_reached(&self, senders: &Senders<'_>) -> bool {
        let Some(may_reach) = senders.may_reach else { return true };
        match senders.store.has_links() {
            false => may_reach(&self.name),
            true => senders
                .store
                .lead(&self.name)
                .is_some_and(|led| led.path == self.path() && senders.reach(&self.name, &led)),
        }
    }

    /// Whether it takes samples of so many values.
    pub(crate) fn takes(&self, values: u32) -> bool {
        values == self.values && self.takes_any()
    }

    /// Whether it takes any value of a sample.
    pub(crate) fn takes_any(&self) -> bool {
        self.order.iter().any(Option::is_some)
    }
}

fn is_plain(led: &Led, name: &str) -> bool {
    led.path == Path::new(name) && led.name.as_deref() == Some(name)
}

/// All that were met.
#[derive(Debug)]
pub(crate) struct Table {
    secret: SipHasher13,
    series_max: usize,
    known: RwLock<Known>,
}

/// Series by their keys' hashes. A batch notes the slot of a series, and looks into it once all of
/// them are noted: so the processor waits for many at once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    places: HashMap<KeyHash, u32, BuildHasherDefault<AsItIs>>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// The last slot that was filled for a database, by the number of its path.
    of_path: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    /// How often all of them were forgotten.
    epoch: u64,
}

/// A series, or none.
#[derive(Clone, Debug, Default)]
struct Slot {
    met: Option<Arc<Met>>,
    /// Another slot of the same database: two keys may mean one series.
    next: Option<u32>,
}

/// Hashes what is a hash already.
#[derive(Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        let rotated = |hash: u64, byte: &u8| hash.rotate_left(8) ^ u64::from(*byte);
        self.0 = bytes.iter().fold(self.0, rotated);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Known {
    /// By how often all of them were forgotten it is told whether something is older.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    fn clear(&mut self) {
        *self = Self { epoch: self.epoch + 1, ..Self::default() };
    }

    /// The slot of a series.
    pub(crate) fn slot(&self, hash: KeyHash) -> Option<u32> {
        self.places.get(&hash).copied()
    }

    /// The series in a slot, which had one under the same lock.
    pub(crate) fn at(&self, slot: u32) -> Option<Arc<Met>> {
        self.slots.get(slot as usize)?.met.clone()
    }

    fn add(&mut self, hash: KeyHash, met: Arc<Met>, path_number: Option<u64>) {
        self.remove(hash);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let next = path_number.and_then(|number| self.of_path.insert(number, slot));
        self.slots[slot as usize] = Slot { met: Some(met), next };
        self.places.insert(hash, slot);
    }

    /// Takes a series away. Its slot stays in the chain of its path until that is forgotten.
    fn remove(&mut self, hash: KeyHash) {
        if let Some(slot) = self.places.remove(&hash) {
            self.slots[slot as usize].met = None;
        }
    }

    /// Takes all series of a database away.
    fn remove_path(&mut self, number: u64) {
        let mut next = self.of_path.remove(&number);
        while let Some(slot) = next {
            let Slot { met, next: behind } = std::mem::take(&mut self.slots[slot as usize]);
            if let Some(Met::Kept(database)) = met.as_deref() {
                self.places.remove(&database.key);
            }
            self.free.push(slot);
            next = behind;
        }
    }
}

impl Table {
    pub(crate) fn new(secret: [u64; 2], series_max: usize) -> Self {
        let secret = SipHasher13::new_with_keys(secret[0], secret[1]);
        Self { secret, series_max: series_max.min(u32::MAX as usize), known: RwLock::default() }
    }

    pub(crate) fn hash(&self, key: &[u8]) -> KeyHash {
        let mut hasher = self.secret;
        hasher.write(key);
        hasher.finish128().as_u128()
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers series, unless all were forgotten since. Where there is no room it begins anew:
    /// many may have gone long ago.
    pub(crate) fn remember(
        &self,
        epoch: u64,
        series: impl IntoIterator<Item = (KeyHash, Arc<Met>, Option<u64>)>,
    ) {
        let mut known = self.write();
        if known.epoch != epoch {
            return;
        }
        for (hash, series, path_number) in series {
            if known.slots.len() - known.free.len() >= self.series_max {
                known.clear();
            }
            known.add(hash, series, path_number);
        }
    }

    /// Forgets all of them.
    pub(crate) fn forget_all(&self) {
        self.write().clear();
    }

    /// Forgets the series of databases that changed.
    pub(crate) fn forget_changed(&self, changed: &Changed) {
        let mut known = self.write();
        match changed {
            Changed::Some(numbers) => numbers.iter().for_each(|it| known.remove_path(*it)),
            Changed::Everything => known.clear(),
        }
    }

    /// Forgets series whose databases are not what they were.
    pub(crate) fn forget(&self, keys: &[KeyHash]) {
        let mut known = self.write();
        keys.iter().for_each(|key| known.remove(*key));
    }
}
