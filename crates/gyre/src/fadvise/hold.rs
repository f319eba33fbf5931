//! `--lock`: keeps files in memory until a signal comes.

use std::io;
use std::sync::{Mutex, PoisonError};

use disk::Mapping;
use pagecache::Opened;
use pagecache::advise;
use rrdtool::system_words;
use rustix::process::Resource;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::arguments::Wanted;
use super::report::Report;
use super::work::{Done, Effect};
use figures::{size, some};

/// Locks the files, reports, and waits for a signal. Returns whether all files were locked.
pub(super) fn hold(wanted: &Wanted, mut report: Report<'_>) -> io::Result<bool> {
    // The handlers are installed before anything is locked, so that a signal that comes early is
    // not lost.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let held = Mutex::new(Held { wanted, mappings: Vec::new(), bytes: 0 });
    // One thread locks, in order, so that the files that fit within `--memory` are the first ones.
    let lock =
        |opened: &Opened<'_>| held.lock().unwrap_or_else(PoisonError::into_inner).lock(opened);
    super::each(wanted, 1, &lock, &mut report)?;
    let held = held.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (files, bytes) = (held.mappings.len(), size(held.bytes));
    if files > 0 {
        let files = some(files as u64, "file", "files");
        report.say(&format!("{bytes} of {files} locked; a signal ends it"))?;
        signals.forever().next();
    }
    report.end()
}

struct Held<'a> {
    wanted: &'a Wanted,
    /// The locked mappings; a file is unlocked when its mapping is dropped.
    mappings: Vec<Mapping>,
    bytes: u64,
}

impl Held<'_> {
    fn lock(&mut self, opened: &Opened<'_>) -> io::Result<Done> {
        let file = opened.file;
        if self.wanted.sync {
            file.sync_all()?;
        }
        let stretch = self.wanted.stretch;
        let page_bytes = disk::page_bytes() as u64;
        let bytes = stretch.within(opened.facts.bytes);
        let needed = bytes.end.div_ceil(page_bytes) - bytes.start / page_bytes;
        let needed_bytes = if bytes.is_empty() { 0 } else { needed * page_bytes };
        self.check_bound(needed_bytes)?;
        let before = advise::loaded_pages(file, stretch)?;
        let locked = advise::lock(file, stretch);
        let mapping = locked.map_err(|error| self.refused(&error, needed_bytes))?;
        let pages = mapping.as_ref().map_or(0, Mapping::pages) as u64;
        self.mappings.extend(mapping);
        self.bytes += needed_bytes;
        let after = advise::loaded_pages(file, stretch)?;
        Ok(Done { pages, before, after, effect: Effect::Whole, why: Vec::new() })
    }

    /// Refuses to lock more than `--memory`.
    fn check_bound(&self, needed_bytes: u64) -> io::Result<()> {
        let Some(bound) = self.wanted.memory_bytes else { return Ok(()) };
        if self.bytes + needed_bytes <= bound {
            return Ok(());
        }
        let what = format!(
            "not locked: {needed_bytes} bytes beside the {} that are would exceed --memory {}",
            self.bytes,
            bound >> 20
        );
        Err(io::Error::other(what))
    }

    /// Explains why the kernel refused to lock the pages.
    fn refused(&self, error: &io::Error, needed_bytes: u64) -> io::Error {
        let mut what = format!("not locked: {}", system_words(error));
        let limit = rustix::process::getrlimit(Resource::Memlock).current;
        if let Some(limit) = limit.filter(|limit| self.bytes + needed_bytes > *limit) {
            what += &format!(
                "; RLIMIT_MEMLOCK is {limit} bytes (ulimit -l, LimitMEMLOCK= of a unit), {} are \
                 locked already",
                self.bytes
            );
        }
        io::Error::other(what)
    }
}
