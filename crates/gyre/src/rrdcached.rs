//! `gyre rrdcached`: rrdcached's daemon, with web pages over its databases (`--web`).

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use daemon::program::{Brought, FeedError, Feeding, Site};
use daemon::{Databases, Failure, Kept};
use feed::{FeedThread, Origin, Paces};
use files::RrdFiles;
use rrd::Series;
use rrd::fetch::Query;
use server::{DataContext, EntriesPage, Entry, Gate, Hosts, Limits, Tree, TreeContext, Unanswered};
use store::{Led, Outline, Rooted};

use crate::series_rules;

/// Runs the daemon.
pub(crate) fn run(program: &str, words: &[&str]) -> ExitCode {
    crate::allocator::return_freed_memory();
    let brought = Brought { pages: Some(&show_pages), tables: Some(&feed_tables) };
    daemon::program::run(program, words, brought)
}

fn show_pages(site: Site<'_>) -> io::Result<Box<dyn Send>> {
    let mut hosts = Hosts::of_this_machine();
    site.allowed_hosts.iter().for_each(|name| hosts.allow(name));
    let title = site.base.display().to_string();
    let program = concat!("gyre ", env!("CARGO_PKG_VERSION")).to_owned();
    let databases = site.databases.clone();
    let context = TreeContext::new(Arc::new(Served(site.databases)), title, program);
    let limits = Limits { connections: site.connections, ..Limits::default() };
    let rules = series_rules::rules(site.series).map_err(io::Error::other)?;
    let store = reached(site.kept, site.base, databases);
    let mut data = DataContext::new(store, rules, Box::new(|_| Vec::new()));
    // Without tokens, whoever can make a browser here ask could change the databases.
    data.takes_changes = site.tokens.is_some();
    let router = server::tree_router(context, hosts.clone());
    let router = router.merge(server::data_router(data, hosts));
    let router = match site.tokens {
        Some(tokens) => Gate::new(tokens).around(router),
        None => router,
    };
    Ok(Box::new(server::start_encrypted(site.listener, site.tls, router, limits)?))
}

fn feed_tables(feeding: Feeding<'_>) -> Result<Box<dyn Send>, FeedError> {
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

    fn fetch(&self, name: &str, query: &Query) -> Result<Series, Unanswered> {
        self.0.fetch(name, query).map_err(unanswered)
    }
}

fn unanswered(failure: Failure) -> Unanswered {
    match failure {
        Failure::Missing | Failure::Irregular => Unanswered::Missing,
        Failure::Rrd(words) | Failure::Told(words) => Unanswered::Told(words),
    }
}
