//! Which bases are still needed.

use std::collections::BTreeMap;

use journal::LogPosition;

/// A base that is still needed: it holds the log from its position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stake(pub(super) LogPosition);

impl Stake {
    /// Whether its base lies before a position.
    pub(super) fn is_before(self, position: LogPosition) -> bool {
        self.0 < position
    }
}

/// Stakes, counted over stretches of the log: only the lowest is ever asked for.
#[derive(Debug, Default)]
pub(super) struct Stakes {
    stretches: BTreeMap<u64, Stretch>,
}

/// The stakes in a stretch of the log.
#[derive(Debug)]
struct Stretch {
    lowest: LogPosition,
    count: usize,
}

const STRETCH_BYTES: u64 = 64 << 10;

impl Stakes {
    pub(super) fn add(&mut self, Stake(position): Stake) {
        let stretch = self.stretches.entry(position.0 / STRETCH_BYTES);
        let stretch = stretch.or_insert(Stretch { lowest: position, count: 0 });
        stretch.lowest = stretch.lowest.min(position);
        stretch.count += 1;
    }

    pub(super) fn remove(&mut self, Stake(position): Stake) {
        let key = position.0 / STRETCH_BYTES;
        let stretch = self.stretches.get_mut(&key).expect("a stake is given up once");
        stretch.count -= 1;
        if stretch.count == 0 {
            self.stretches.remove(&key);
        }
    }

    /// No stake lies before it.
    pub(super) fn lowest(&self) -> Option<LogPosition> {
        self.stretches.first_key_value().map(|(_, stretch)| stretch.lowest)
    }
}
