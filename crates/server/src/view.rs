//! What every page is made from.

use std::cell::OnceCell;
use std::sync::Arc;

use jiff::tz::TimeZone;
use store::Store;

use crate::{Catalogue, Site, Status};

/// What the router is given.
#[derive(Clone)]
pub struct Context {
    /// What to show.
    pub site: Arc<dyn Site>,
    /// Where the values are.
    pub store: Arc<dyn Store>,
    /// The time zone of pages and graphs.
    pub zone: TimeZone,
    /// The time of day, in seconds since 1970.
    pub now: fn() -> i64,
}

impl Context {
    /// A context that lives by the system's clock.
    #[must_use]
    pub fn new(site: Arc<dyn Site>, store: Arc<dyn Store>, zone: TimeZone) -> Self {
        Self { site, store, zone, now: system_seconds }
    }

    /// Everything as it is at this moment.
    pub(crate) fn view(&self) -> View {
        View {
            catalogue: self.site.catalogue(),
            site: Arc::clone(&self.site),
            status: OnceCell::new(),
            store: Arc::clone(&self.store),
            zone: self.zone.clone(),
            now_seconds: (self.now)(),
        }
    }
}

pub(crate) fn system_seconds() -> i64 {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_1970.map_or(0, |since| since.as_secs() as i64)
}

/// Everything as it was when a request came.
pub(crate) struct View {
    pub(crate) catalogue: Arc<Catalogue>,
    site: Arc<dyn Site>,
    /// Asked for when it is needed: graphs do not, and they are most requests.
    status: OnceCell<Arc<Status>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) zone: TimeZone,
    pub(crate) now_seconds: i64,
}

/// How often a page refreshes itself, seconds: neither a burden nor stale.
const REFRESH_SECONDS: std::ops::RangeInclusive<u64> = 5..=300;

/// Seconds after which something measured every `interval_seconds` is worth asking for anew.
pub(crate) fn refresh_seconds(interval_seconds: u64) -> u64 {
    interval_seconds.clamp(*REFRESH_SECONDS.start(), *REFRESH_SECONDS.end())
}

impl View {
    /// How the collector fares.
    pub(crate) fn status(&self) -> &Status {
        self.status.get_or_init(|| self.site.status())
    }

    /// Seconds until a page is worth asking for anew.
    pub(crate) fn refresh_seconds(&self) -> u64 {
        refresh_seconds(self.status().interval_seconds)
    }

    /// How a target's device fares, where it has one.
    pub(crate) fn device(&self, target: &crate::Target) -> Option<&crate::Device> {
        self.status().devices.get(target.device_index?)
    }
}
