//! `gyre rrdcached`: rrdcached's daemon, with web pages over its databases (`--web`).

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use daemon::program::{Brought, FeedError, Feeding, Site};
use daemon::{Databases, Failure, Kept};
use feed::{FeedThread, Origin, Paces};
use files::RrdFiles;
use rrd::Series;
use rrd::fetch::Query;
use server::{EntriesPage, Entry, Gate, Hosts, Limits, Tree, TreeContext, Unanswered};
use store::Outline;

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
    let context = TreeContext::new(Arc::new(Served(site.databases)), title, program);
    let limits = Limits { connections: site.connections, ..Limits::default() };
    let router = server::tree_router(context, hosts);
    let router = match site.tokens {
        Some(tokens) => Gate::new(tokens).around(router),
        None => router,
    };
    Ok(Box::new(server::start_encrypted(site.listener, site.tls, router, limits)?))
}

fn feed_tables(feeding: Feeding<'_>) -> Result<Box<dyn Send>, FeedError> {
    let Feeding { file, kept, base, tell } = feeding;
    let address = crate::sql::address(file)?;
    let origin = match kept {
        Kept::Cached(cache) => {
            Origin::below(Arc::clone(cache) as _, base, Arc::new(RrdFiles::below(base))).at(base)
        }
        Kept::InPlace(files) => Origin::new(Arc::clone(files) as _).at(base),
        Kept::Ring(ring) => Origin::new(Arc::clone(ring) as _).at(ring.root()),
    };
    let name = crate::sql::feeder("gyre rrdcached");
    Ok(Box::new(FeedThread::start(origin, address, name, Paces::default(), tell)?))
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
