//! Who sends a batch, and what of the store is theirs.

use store::{Led, Rooted, Sees};

/// Which databases a sender may reach; `None` if all.
pub(crate) type MayReach<'f> = Option<&'f Sees<'f>>;

/// Who sends a batch, into which store, and when.
pub(crate) struct Senders<'s> {
    pub(crate) store: &'s Rooted,
    pub(crate) may_reach: MayReach<'s>,
    pub(crate) now_micros: i64,
}

/// A sample may be so far ahead of this machine's clock. One that is further would keep all from
/// its database that come in the meantime.
const AHEAD_MAX_MICROS: i64 = 600 * 1_000_000;

impl Senders<'_> {
    /// Whether a time is too far ahead.
    pub(crate) fn is_ahead(&self, micros: i64) -> bool {
        micros > self.now_micros.saturating_add(AHEAD_MAX_MICROS)
    }

    /// Whether they may reach a database by this name.
    pub(crate) fn reach(&self, name: &str, led: &Led) -> bool {
        led.is_reached(name, self.may_reach)
    }
}
