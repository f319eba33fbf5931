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

impl Senders<'_> {
    /// Whether they may reach a database by this name.
    pub(crate) fn reach(&self, name: &str, led: &Led) -> bool {
        led.is_reached(name, self.may_reach)
    }
}
