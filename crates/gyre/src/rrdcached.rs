//! `gyre rrdcached`: rrdcached's daemon, with web pages over its databases (`--web`).

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use daemon::program::Site;
use daemon::{Databases, Failure};
use rrd::Series;
use rrd::fetch::Query;
use server::{EntriesPage, Entry, Hosts, Limits, Tree, TreeContext, Unanswered};
use store::Outline;

/// Runs the daemon.
pub(crate) fn run(program: &str, words: &[&str]) -> ExitCode {
    crate::allocator::return_freed_memory();
    daemon::program::run(program, words, Some(&show_pages))
}

fn show_pages(site: Site<'_>) -> io::Result<Box<dyn Send>> {
    let mut hosts = Hosts::of_this_machine();
    site.allowed_hosts.iter().for_each(|name| hosts.allow(name));
    let title = site.base.display().to_string();
    let program = concat!("gyre ", env!("CARGO_PKG_VERSION")).to_owned();
    let context = TreeContext::new(Arc::new(Served(site.databases)), title, program);
    let limits = Limits { connections: site.connections, ..Limits::default() };
    let router = server::tree_router(context, hosts);
    Ok(Box::new(server::start(site.listener, router, limits)?))
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
