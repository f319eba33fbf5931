//! The input of every page.

use std::cell::OnceCell;
use std::sync::Arc;

use ::ranks::Reading;
use access::Scope;
use jiff::tz::TimeZone;
use store::{NamePattern, Store};

use crate::finding::{Bits, Finder, TargetIndex};
use crate::heard::Heard;
use crate::rank_state::RankState;
use crate::site::Stretch;
use crate::visitor::Visitor;
use crate::{BrokenLimit, Catalogue, Own, Site, Status, Target};

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
    /// Finds targets.
    finder: Arc<Finder>,
    /// The first of all targets.
    ranks: Arc<RankState>,
}

impl Context {
    /// A context with the system's clock.
    #[must_use]
    pub fn new(site: Arc<dyn Site>, store: Arc<dyn Store>, zone: TimeZone) -> Self {
        let (finder, ranks) = (Arc::default(), Arc::default());
        Self { site, store, heard: None, zone, now: system_seconds, finder, ranks }
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
            finder: Arc::clone(&self.finder),
            now: self.now,
            ranks: Arc::clone(&self.ranks),
        }
    }

    /// Begins to make what targets are found by, before the first visitor asks.
    pub(crate) fn prepare(&self) {
        let _: Option<Arc<TargetIndex>> = self.finder.ready(&self.site.catalogue());
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
    finder: Arc<Finder>,
    now: fn() -> i64,
    pub(crate) ranks: Arc<RankState>,
}

/// Which targets are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked<'a> {
    /// The words to search for.
    pub(crate) text: &'a str,
    /// Only targets that are not measured.
    pub(crate) silent_only: bool,
    /// How many are left out before.
    pub(crate) first: usize,
    /// The most that are wanted.
    pub(crate) limit: usize,
}

/// Targets that were found.
#[derive(Debug)]
pub(crate) struct Hits {
    pub(crate) found: Stretch,
    /// Whether a word was found only as it may be meant.
    pub(crate) is_mistyped: bool,
    /// What was searched for.
    pub(crate) query: find::Query,
}

/// What is known of a target besides its own texts.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// Empty if none is known.
    pub(crate) address: String,
    /// Names and values.
    pub(crate) labels: Vec<(String, String)>,
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

    /// All targets.
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// The names that the visitor may see.
    pub(crate) fn scope(&self) -> &Scope {
        &self.visitor.scope
    }

    /// What newest rates are read from.
    pub(crate) fn reading(&self) -> Reading<Catalogue> {
        let site = Arc::clone(&self.site);
        let subjects = Box::new(move || site.catalogue());
        Reading { store: Arc::clone(&self.store), subjects, now: self.now }
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

    /// The targets whose names match a pattern, of those that the visitor may see.
    pub(crate) fn matching(&self, pattern: &NamePattern) -> impl Iterator<Item = Target> {
        self.catalogue.matching(|name| pattern.matches(name) && self.visitor.scope.sees(name))
    }

    /// The targets that match a query, of those that the visitor may see.
    pub(crate) fn search(&self, query: &str) -> impl Iterator<Item = Target> {
        let found = self.catalogue.search(query);
        found.filter(|target| self.visitor.scope.sees(&target.name))
    }

    /// A page of what [`Self::search`] finds. The index tells it, once there is one.
    pub(crate) fn listed(&self, query: &str, first: usize, limit: usize) -> Stretch {
        let index = self.index();
        let indexed = index.and_then(|index| index.with_words(query, self.seen(&index).as_deref()));
        let Some(found) = indexed else { return Stretch::of(self.search(query), first, limit) };
        let page = found.iter().skip(first).take(limit);
        Stretch { count: found.len(), shown: page.map(|position| self.target(*position)).collect() }
    }

    /// The index of all targets; `None` while it is being made.
    pub(crate) fn index(&self) -> Option<Arc<TargetIndex>> {
        self.finder.ready(&self.catalogue)
    }

    /// The targets that the visitor may see, by their positions; `None` means all of them.
    pub(crate) fn seen(&self, index: &TargetIndex) -> Option<Arc<Bits>> {
        index.seen(&self.visitor.scope, &self.catalogue)
    }

    /// The target at a position, which is one of those that the visitor may see.
    pub(crate) fn target(&self, position: u32) -> Target {
        self.catalogue.target(position as usize)
    }

    /// The targets that are measured from a device, of those that the visitor may see, in the order
    /// of the configuration.
    pub(crate) fn targets_of(&self, device: &str) -> Vec<Target> {
        let Some(index) = self.index() else {
            return self.search(device).filter(|target| *target.device == *device).collect();
        };
        let seen = self.seen(&index);
        let targets = index.network.device(device).map(|device| device.targets.as_slice());
        let targets = targets.unwrap_or_default().iter();
        let targets = targets.filter(|nth| seen.as_ref().is_none_or(|seen| seen.has(**nth)));
        targets.map(|nth| self.target(*nth)).collect()
    }

    /// What is known of a target besides its own texts: the address that it measures, and labels.
    pub(crate) fn more_of(&self, target: &Target) -> More {
        let Some(position) = self.catalogue.position(&target.name) else { return More::default() };
        let address = self.catalogue.address(position).unwrap_or_default();
        More { address, labels: self.catalogue.labels(position) }
    }

    /// A page of the targets that match, of those that the visitor may see, the best first.
    pub(crate) fn hits(&self, asked: &Asked<'_>) -> Hits {
        match self.index() {
            Some(index) => self.indexed(&index, asked),
            None => Hits {
                found: self.scanned(asked),
                is_mistyped: false,
                query: find::Query::plain(asked.text),
            },
        }
    }

    fn indexed(&self, index: &TargetIndex, asked: &Asked<'_>) -> Hits {
        let query = index.query(asked.text);
        let silent = asked.silent_only.then(|| self.status());
        let page = find::Page { first: asked.first, limit: asked.limit };
        let found = index.search(&query, self.seen(index).as_deref(), silent, page);
        let shown = found.documents.iter().map(|position| self.target(*position)).collect();
        let stretch = Stretch { count: found.total, shown };
        Hits { found: stretch, is_mistyped: found.is_mistyped, query }
    }

    /// The same without an index. The first page of all is not looked for.
    fn scanned(&self, asked: &Asked<'_>) -> Stretch {
        let is_of_all = asked.text.trim().is_empty() && !asked.silent_only;
        if is_of_all && self.is_of_everything() {
            let count = self.catalogue.count();
            let end = asked.first.saturating_add(asked.limit).min(count);
            let shown = (asked.first..end).map(|position| self.catalogue.target(position));
            return Stretch { count, shown: shown.collect() };
        }
        let found = self.search(asked.text);
        let found = found.filter(|target| !asked.silent_only || self.is_silent(target));
        Stretch::of(found, asked.first, asked.limit)
    }

    /// Whether a target is not measured, or its device does not answer.
    pub(crate) fn is_silent(&self, target: &Target) -> bool {
        let device = self.device(target);
        target.problem.is_some() || device.is_some_and(|device| device.health.is_silent())
    }

    /// The collector's status.
    pub(crate) fn status(&self) -> &Status {
        self.status.get_or_init(|| self.site.status())
    }

    /// What the program measures of itself.
    pub(crate) fn own(&self) -> Option<Own> {
        self.site.own()
    }

    /// The limits that are broken now; the caller leaves out those of targets that are not seen.
    pub(crate) fn broken_limits(&self) -> Vec<BrokenLimit> {
        self.site.broken_limits()
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
