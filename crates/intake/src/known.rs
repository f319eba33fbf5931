//! Series that were met before.

use std::collections::HashMap;
use std::hash::Hasher as _;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use rrd::{Definition, Tick};
use siphasher::sip128::{Hasher128 as _, SipHasher13};
use store::Led;

use crate::reach::{MayReach, is_within};

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
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.led.as_ref().map_or_else(|| Path::new(&*self.name), |led| &led.path)
    }

    /// Whether a sender may reach it.
    pub(crate) fn is_reached(&self, may_reach: MayReach<'_>) -> bool {
        match &self.led {
            Some(led) => is_within(may_reach, &self.name, led),
            None => may_reach.is_none_or(|may_reach| may_reach(&self.name)),
        }
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
    met: RwLock<HashMap<KeyHash, Arc<Met>>>,
}

impl Table {
    pub(crate) fn new(secret: [u64; 2], series_max: usize) -> Self {
        let secret = SipHasher13::new_with_keys(secret[0], secret[1]);
        Self { secret, series_max, met: RwLock::default() }
    }

    pub(crate) fn hash(&self, key: &[u8]) -> KeyHash {
        let mut hasher = self.secret;
        hasher.write(key);
        hasher.finish128().as_u128()
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, HashMap<KeyHash, Arc<Met>>> {
        self.met.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers series, as far as there is room.
    pub(crate) fn remember(&self, series: impl IntoIterator<Item = (KeyHash, Arc<Met>)>) {
        let mut met = self.met.write().unwrap_or_else(PoisonError::into_inner);
        for (hash, series) in series {
            if met.len() < self.series_max {
                met.insert(hash, series);
            }
        }
    }

    /// Forgets all of them.
    pub(crate) fn forget_all(&self) {
        self.met.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Forgets series whose databases are not what they were.
    pub(crate) fn forget(&self, keys: &[KeyHash]) {
        let mut met = self.met.write().unwrap_or_else(PoisonError::into_inner);
        keys.iter().for_each(|key| drop(met.remove(key)));
    }
}
