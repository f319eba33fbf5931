//! The input of every page.

use std::cell::OnceCell;
use std::sync::Arc;

use jiff::tz::TimeZone;
use store::Store;

use crate::heard::Heard;
use crate::visitor::Visitor;
use crate::{Catalogue, Site, Status, Target};

/// The inputs of the router.
#[derive(Clone)]
pub struct Context {
    /// What to show.
    pub site: Arc<dyn Site>,
    /// The store with the values.
    pub store: Arc<dyn Store>,
    /// What became of what agents sent; `None` where none may send anything.
    pub heard: Option<Heard>,
    /// The time zone of pages and graphs.
    pub zone: TimeZone,
    /// The time of day, in seconds since 1970.
    pub now: fn() -> i64,
}

impl Context {
    /// A context with the system's clock.
    #[must_use]
    pub fn new(site: Arc<dyn Site>, store: Arc<dyn Store>, zone: TimeZone) -> Self {
        Self { site, store, heard: None, zone, now: system_seconds }
    }

    /// A visitor's view of the present state.
    pub(crate) fn view(&self, visitor: Visitor) -> View {
        View {
            visitor,
            catalogue: self.site.catalogue(),
            site: Arc::clone(&self.site),
            status: OnceCell::new(),
            store: Arc::clone(&self.store),
            heard: self.heard.clone(),
            zone: self.zone.clone(),
            now_seconds: (self.now)(),
        }
    }
}

pub(crate) fn system_seconds() -> i64 {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_1970.map_or(0, |since| since.as_secs() as i64)
}

/// The state at the time of a request.
pub(crate) struct View {
    visitor: Visitor,
    catalogue: Arc<Catalogue>,
    site: Arc<dyn Site>,
    /// Asked for only if needed: most requests are for graphs, which do not need it.
    status: OnceCell<Arc<Status>>,
    pub(crate) store: Arc<dyn Store>,
    heard: Option<Heard>,
    pub(crate) zone: TimeZone,
    pub(crate) now_seconds: i64,
}

/// The bounds of the seconds after which a page refreshes itself: not so short that it is a load,
/// not so long that it is stale.
const REFRESH_SECONDS: std::ops::RangeInclusive<u64> = 5..=300;

/// Seconds after which to refresh a value that is measured every `interval_seconds`.
pub(crate) fn refresh_seconds(interval_seconds: u64) -> u64 {
    interval_seconds.clamp(*REFRESH_SECONDS.start(), *REFRESH_SECONDS.end())
}

impl View {
    /// The title in the head of every page.
    pub(crate) fn title(&self) -> &str {
        &self.catalogue.title
    }

    /// What became of what agents sent.
    pub(crate) fn heard(&self) -> Option<&Heard> {
        self.heard.as_ref()
    }

    /// A remark for every page.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.catalogue.notice.as_deref()
    }

    /// Whether the visitor may see all names, and so what is told of all together.
    pub(crate) fn is_of_everything(&self) -> bool {
        self.visitor.scope.is_everything()
    }

    /// How many targets the visitor may see.
    pub(crate) fn count(&self) -> usize {
        match self.is_of_everything() {
            true => self.catalogue.count(),
            false => self.catalogue.count_where(|name| self.visitor.scope.sees(name)),
        }
    }

    /// The target with this name, if there is one that the visitor may see.
    pub(crate) fn find(&self, name: &str) -> Option<Target> {
        self.visitor.scope.sees(name).then(|| self.catalogue.find(name))?
    }

    /// The targets that match a query, of those that the visitor may see.
    pub(crate) fn search(&self, query: &str) -> impl Iterator<Item = Target> {
        let found = self.catalogue.search(query);
        found.filter(|target| self.visitor.scope.sees(&target.name))
    }

    /// The collector's status.
    pub(crate) fn status(&self) -> &Status {
        self.status.get_or_init(|| self.site.status())
    }

    /// Seconds until the page should be refreshed.
    pub(crate) fn refresh_seconds(&self) -> u64 {
        refresh_seconds(self.status().interval_seconds)
    }

    /// The status of a target's device, if it has one device.
    pub(crate) fn device(&self, target: &crate::Target) -> Option<&crate::Device> {
        self.status().devices.get(target.device_index?)
    }
}
