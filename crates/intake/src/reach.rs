//! Which databases a sender may reach.

use store::Led;

/// Which databases a sender may reach; `None` if all.
pub(crate) type MayReach<'f> = Option<&'f dyn Fn(&str) -> bool>;

/// Whether a sender may reach a database by this name: the name is one of its own, and so is the one
/// that it leads to.
pub(crate) fn is_within(may_reach: MayReach<'_>, name: &str, led: &Led) -> bool {
    may_reach.is_none_or(|may_reach| {
        may_reach(name) && led.name.as_deref().is_some_and(|real| real == name || may_reach(real))
    })
}
