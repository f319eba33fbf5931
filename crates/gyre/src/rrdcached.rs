//! `gyre rrdcached`: rrdcached's daemon, with web pages over its databases (`--web`).

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use daemon::{
    Brought, BroughtError, Counted, Databases, Failure, Feeding, HearAgents, Kept, Opening, Pages,
    ShowPages, Site, Statistic, Tell,
};
#[cfg(feature = "sql")]
use feed::{FeedThread, Origin, Paces};
use files::RrdFiles;
use lookup::Rules;
use rrd::Stretch;
use rrd::fetch::Query;
use rrdtool::system_words;
use server::{
    Arrivals, BoardPages, BoardsContext, DataContext, EntriesPage, Entry, Gate, Heard, Hosts,
    Limits, Metric, RequestLog, Running, Tree, TreeContext, Unanswered,
};
use store::{Led, Outline, Rooted};

use crate::boards::{Boards, BoardsError};
use crate::hearing::{Hearing, Opened, Terms};
use crate::series_rules::{self, RulesError};
use crate::visitors::{self, VisitorsError};

/// Why there are no web pages.
#[derive(Debug, thiserror::Error)]
enum PagesError {
    /// The file of `--series` cannot be used.
    #[error("--series: {0}")]
    Series(#[from] RulesError),
    /// The directory of `--boards` cannot be used.
    #[error(transparent)]
    Boards(#[from] BoardsError),
    /// It cannot be known who sees them.
    #[error(transparent)]
    Visitors(#[from] VisitorsError),
    /// The system refuses a socket or a thread.
    #[error("web pages: {}", system_words(.0))]
    System(#[from] io::Error),
}

/// Runs the daemon.
pub(crate) fn run(program: &str, words: &[&str]) -> ExitCode {
    crate::allocator::return_freed_memory();
    let taking = Arc::<OnceLock<Taking>>::default();
    let for_pages = Arc::clone(&taking);
    let brought = Brought {
        pages: Some(&move |opening: Opening<'_>| open_pages(opening, Arc::clone(&for_pages))),
        tables: Some(&feed_tables),
        agents: Some(&move |file: &Path| read_agents(file, Arc::clone(&taking))),
    };
    daemon::program::run(program, words, brought)
}

/// What pages have of the agents that are heard.
struct Taking {
    arrivals: Option<Arrivals>,
    heard: Heard,
}

/// Agents that are heard.
struct Agents(Hearing);

impl daemon::Agents for Agents {
    fn read_again(&self) -> Result<String, BroughtError> {
        Ok(format!("the rules for agents are read anew: {}", self.0.reload()?))
    }

    fn end(self: Box<Self>) {
        self.0.end();
    }
}

fn read_agents(
    file: &Path,
    taking: Arc<OnceLock<Taking>>,
) -> Result<Box<HearAgents>, BroughtError> {
    let opened = Opened::read(file)?;
    Ok(Box::new(move |hearing| {
        let daemon::Hearing { databases, base, kept, tell, .. } = hearing;
        let heard = opened.hear(Terms {
            store: reached(kept, base, databases),
            has_pages: hearing.has_pages,
            is_insecure: hearing.is_insecure,
            connections_max: hearing.connections,
            tell: Arc::new(move |notice| tell(&format!("agents: {notice}"))),
        })?;
        let (arrivals, counts) = (heard.arrivals(), heard.heard());
        taking.get_or_init(|| Taking { arrivals, heard: counts });
        Ok(Box::new(Agents(heard)) as Box<dyn daemon::Agents>)
    }))
}

/// Pages that are shown, and their log.
struct Shown {
    requests: Option<RequestLog>,
    boards: Option<Boards>,
    tell: Arc<Tell>,
    /// The server, which ends when this is dropped.
    _running: Running,
}

impl Pages for Shown {
    fn reopen(&self) {
        self.requests.iter().for_each(RequestLog::reopen);
        self.boards.iter().for_each(|boards| tell_of_wrong(boards, &self.tell));
    }
}

/// What pages need besides databases.
struct Means {
    hosts: Hosts,
    rules: Rules,
    gate: Option<Gate>,
    requests: Option<RequestLog>,
    boards: Option<Boards>,
    tell: Arc<Tell>,
}

fn open_pages(
    opening: Opening<'_>,
    taking: Arc<OnceLock<Taking>>,
) -> Result<Box<ShowPages>, BroughtError> {
    let means = Means::of(opening)?;
    Ok(Box::new(move |site| Ok(Box::new(means.show(site, taking.get())?))))
}

impl Means {
    fn of(opening: Opening<'_>) -> Result<Self, PagesError> {
        let Opening { series, boards, allowed_hosts, tokens, proxies, request_log, tell } = opening;
        let mut hosts = Hosts::of_this_machine();
        allowed_hosts.iter().for_each(|name| hosts.allow(name));
        let rules = series_rules::rules(series)?;
        let tell = Arc::new(tell);
        let boards = boards.map(Boards::open).transpose()?;
        boards.iter().for_each(|boards| tell_of_wrong(boards, &tell));
        let note = Arc::clone(&tell);
        let gate = visitors::gate(tokens, proxies, move |stranger| note(&stranger.to_string()))?;
        let requests = visitors::request_log(request_log)?;
        Ok(Self { hosts, rules, gate, requests, boards, tell })
    }

    fn show(self, site: Site<'_>, taking: Option<&Taking>) -> Result<Shown, PagesError> {
        let Self { hosts, rules, gate, requests, boards, tell } = self;
        let title = site.base.display().to_string();
        let program = concat!("gyre ", env!("CARGO_PKG_VERSION")).to_owned();
        let databases = site.databases.clone();
        let mut context = TreeContext::new(Arc::new(Served(site.databases)), title, program);
        context.heard = taking.map(|taking| taking.heard.clone());
        let store = reached(site.kept, site.base, databases);
        context.names = Some(server::Names::of(store.clone()));
        let mut data = DataContext::new(store, rules, Box::new(|_| Vec::new()));
        // Without tokens, whoever can make a browser here ask could change the databases.
        data.takes_changes = gate.is_some();
        data.arrivals = taking.and_then(|taking| taking.arrivals.clone());
        let of_boards = BoardsContext {
            pages: BoardPages::Databases(context.clone()),
            data: data.clone(),
            shelf: boards.as_ref().map(|boards| Arc::clone(&boards.shelf)),
        };
        let router = server::tree_router(context, hosts.clone());
        let router = router.merge(server::data_router(data, hosts.clone()));
        let router = router.merge(server::boards_router(of_boards, hosts));
        let router = visitors::let_in(router, gate, requests.clone());
        let limits = Limits { connections: site.connections, ..Limits::default() };
        let running = server::start_encrypted(site.listener, site.tls, router, limits)?;
        Ok(Shown { requests, boards, tell, _running: running })
    }
}

/// Reads all boards again, and tells of those that cannot be shown.
fn tell_of_wrong(boards: &Boards, tell: &Tell) {
    match boards.check() {
        Ok(checked) => checked.wrong.iter().for_each(|wrong| tell(&format!("boards: {wrong}"))),
        Err(error) => tell(&error.to_string()),
    }
}

#[cfg(not(feature = "sql"))]
fn feed_tables(_feeding: Feeding<'_>) -> Result<Box<dyn Send>, BroughtError> {
    Err(crate::sql::WithoutSql.into())
}

#[cfg(feature = "sql")]
fn feed_tables(feeding: Feeding<'_>) -> Result<Box<dyn Send>, BroughtError> {
    let Feeding { file, kept, base, tell } = feeding;
    let address = crate::sql::address(file)?;
    let place = match kept {
        Kept::Cached(_) | Kept::InPlace(_) => base,
        Kept::Ring(ring) => ring.root(),
    };
    let origin = Origin::of(rooted(kept, base)).at(place);
    let name = crate::sql::feeder("gyre rrdcached");
    Ok(Box::new(FeedThread::start(origin, address, name, Paces::default(), tell)?))
}

/// The daemon's databases, by their names below its base directory.
fn rooted(kept: &Kept, base: &Path) -> Rooted {
    match kept {
        Kept::Cached(cache) => {
            Rooted::below(Arc::clone(cache) as _, base, Arc::new(RrdFiles::below(base)))
        }
        Kept::InPlace(files) => Rooted::new(Arc::clone(files) as _),
        Kept::Ring(ring) => Rooted::new(Arc::clone(ring) as _),
    }
}

/// The same, as far as clients of the protocol reach them.
fn reached(kept: &Kept, base: &Path, databases: Databases) -> Rooted {
    let rooted = rooted(kept, base);
    match kept {
        Kept::Cached(_) => rooted.leading(Arc::new(move |name| databases.lead(name))),
        Kept::InPlace(_) => rooted.leading(Arc::new(move |name| {
            let name = databases.lead(name)?.name?;
            Some(Led { path: name.clone().into(), name: Some(name) })
        })),
        Kept::Ring(_) => rooted,
    }
}

/// The daemon's databases, in the form that the web pages need.
struct Served(Databases);

impl Tree for Served {
    fn list(&self, directory: &str, from: &str, limit: usize) -> io::Result<EntriesPage> {
        let daemon::EntriesPage { entries, next } = self.0.list(directory, from, limit)?;
        let entry = |daemon::Entry { name, is_directory }| Entry { name, is_directory };
        Ok(EntriesPage { entries: entries.into_iter().map(entry).collect(), next })
    }

    fn outline(&self, name: &str) -> Result<Outline, Unanswered> {
        self.0.outline(name).map_err(unanswered)
    }

    fn real_name(&self, name: &str) -> Option<String> {
        self.0.lead(name)?.name
    }

    fn fetch(&self, name: &str, query: &Query) -> Result<Stretch, Unanswered> {
        self.0.fetch(name, query).map_err(unanswered)
    }

    fn metrics(&self) -> Vec<Metric> {
        let metric = |Statistic { counted, value }: &Statistic| {
            let Counted { metric, is_counter, help, .. } = **counted;
            Metric { name: metric, help, is_counter, value: *value }
        };
        self.0.statistics().iter().map(metric).collect()
    }
}

fn unanswered(failure: Failure) -> Unanswered {
    match failure {
        Failure::Missing | Failure::Irregular => Unanswered::Missing,
        Failure::Rrd(words) | Failure::Told(words) => Unanswered::Told(words),
    }
}
