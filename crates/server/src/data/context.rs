//! What requests for data are answered from.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use access::Scope;
use jiff::tz::TimeZone;
use lookup::{Lookup, Rules};
use store::{Rooted, Sees};

use super::arrivals::Arrivals;
use super::events::Events;
use super::problem::Problem;
use crate::span::Span;

/// The inputs of the data's router.
#[derive(Clone)]
pub struct DataContext {
    /// The databases.
    pub store: Rooted,
    /// Their series.
    pub lookup: Lookup,
    /// Tells of final rows.
    pub(super) events: Arc<Events>,
    /// What takes samples of agents; `None` where none may send any.
    pub arrivals: Option<Arrivals>,
    /// Whether clients show tokens, by which they may make, update and delete databases.
    pub takes_changes: bool,
    /// The time zone of times in requests.
    pub zone: TimeZone,
    /// The time of day, in seconds since 1970.
    pub now: fn() -> i64,
}

impl DataContext {
    /// A context with the system's clock and time zone. It takes no changes.
    #[must_use]
    pub fn new(store: Rooted, rules: Rules, more: Box<lookup::MoreLabels>) -> Self {
        let lookup = Lookup::new(store.clone(), rules, more);
        let (zone, now) = (TimeZone::system(), crate::view::system_seconds);
        let events = Events::new(store.clone());
        Self { store, lookup, events, arrivals: None, takes_changes: false, zone, now }
    }

    /// Whether a client may reach a database by this name: the name is one of its own, and so is
    /// the one that it leads to.
    pub(crate) fn reaches(&self, scope: &Scope, name: &str) -> bool {
        let sees = |name: &str| scope.sees(name);
        let sees: Option<&Sees<'_>> = if scope.is_everything() { None } else { Some(&sees) };
        match self.store.has_links() {
            true => self.store.lead(name).is_some_and(|led| led.is_reached(name, sees)),
            false => scope.sees(name),
        }
    }

    /// The path in the store of a name from outside.
    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, Problem> {
        let mut parts = Path::new(name).components();
        let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || name.is_empty() || name.contains('\0') {
            return Err(Problem::wrong("database", "expected a relative name without `..`"));
        }
        let led = self.store.lead(name);
        led.map(|led| led.path).ok_or_else(|| Problem::NoDatabase(name.to_owned()))
    }

    /// The period between two times as rrdtool reads them.
    pub(super) fn period(&self, start: Option<&str>, end: Option<&str>) -> Result<Span, Problem> {
        Ok(Span::between(start, end, (self.now)(), &self.zone)?)
    }
}
