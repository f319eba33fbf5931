//! Which bases are still needed.

use std::collections::BTreeMap;

use journal::LogPosition;

/// A base that is still needed: it holds the log from its position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPin(pub(super) LogPosition);

impl LogPin {
    /// Whether its base lies before a position.
    pub(super) fn is_before(self, position: LogPosition) -> bool {
        self.0 < position
    }
}

/// Pins, counted over stretches of the log: only the lowest is ever asked for.
#[derive(Debug, Default)]
pub(super) struct LogPins {
    stretches: BTreeMap<u64, Stretch>,
}

/// The pins in a stretch of the log.
#[derive(Debug)]
struct Stretch {
    lowest: LogPosition,
    count: usize,
}

const STRETCH_BYTES: u64 = 64 << 10;

impl LogPins {
    pub(super) fn add(&mut self, LogPin(position): LogPin) {
        let stretch = self.stretches.entry(position.0 / STRETCH_BYTES);
        let stretch = stretch.or_insert(Stretch { lowest: position, count: 0 });
        stretch.lowest = stretch.lowest.min(position);
        stretch.count += 1;
    }

    pub(super) fn remove(&mut self, LogPin(position): LogPin) {
        let key = position.0 / STRETCH_BYTES;
        let stretch = self.stretches.get_mut(&key).expect("a log_pin is given up once");
        stretch.count -= 1;
        if stretch.count == 0 {
            self.stretches.remove(&key);
        }
    }

    /// No pin lies before it.
    pub(super) fn lowest(&self) -> Option<LogPosition> {
        self.stretches.first_key_value().map(|(_, stretch)| stretch.lowest)
    }
}
