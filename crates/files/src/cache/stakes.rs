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
    /// For each stretch its lowest stake and how many there are.
    stretches: BTreeMap<u64, (LogPosition, usize)>,
}

const STRETCH_BYTES: u64 = 64 << 10;

impl Stakes {
    pub(super) fn add(&mut self, Stake(position): Stake) {
        let stretch = self.stretches.entry(position.0 / STRETCH_BYTES).or_insert((position, 0));
        stretch.0 = stretch.0.min(position);
        stretch.1 += 1;
    }

    pub(super) fn remove(&mut self, Stake(position): Stake) {
        let key = position.0 / STRETCH_BYTES;
        let stretch = self.stretches.get_mut(&key).expect("a stake is given up once");
        stretch.1 -= 1;
        if stretch.1 == 0 {
            self.stretches.remove(&key);
        }
    }

    /// No stake lies before it.
    pub(super) fn lowest(&self) -> Option<LogPosition> {
        self.stretches.first_key_value().map(|(_, (position, _))| *position)
    }
}
