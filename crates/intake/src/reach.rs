//! Which databases a sender may reach.

use store::{Led, Rooted};

/// Which databases a sender may reach; `None` if all.
pub(crate) type MayReach<'f> = Option<&'f dyn Fn(&str) -> bool>;

/// Who sends a batch, into which store, and when.
pub(crate) struct Senders<'s> {
    pub(crate) store: &'s Rooted,
    pub(crate) may_reach: MayReach<'s>,
    pub(crate) now_micros: i64,
}

/// Whether a sender may reach a database by this name: the name is one of its own, and so is the one
/// that it leads to.
pub(crate) fn is_within(may_reach: MayReach<'_>, name: &str, led: &Led) -> bool {
    may_reach.is_none_or(|may_reach| {
        may_reach(name) && led.name.as_deref().is_some_and(|real| real == name || may_reach(real))
    })
}
