//! `--lock`: files stay in memory until a signal comes.

use std::io;
use std::path::Path;

use disk::Mapping;
use pagecache::advise;
use rrdtool::system_words;
use rustix::process::Resource;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::arguments::Wanted;
use super::names::Names;
use super::report::Report;
use super::work::{Done, Effect, Faulty, Outcome, fault, open};

/// Locks the files, tells, and waits. Whether all were locked.
pub(super) fn hold(wanted: &Wanted, names: Names, mut report: Report<'_>) -> io::Result<bool> {
    // Before anything is locked, so that none comes too early.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let mut held = Held { wanted, mappings: Vec::new(), bytes: 0 };
    for name in names {
        let outcome = name.and_then(|path| held.lock(&path));
        report.take(&outcome)?;
    }
    let (files, mebibytes) = (held.mappings.len(), held.bytes as f64 / f64::from(1 << 20));
    if files > 0 {
        let noun = if files == 1 { "file" } else { "files" };
        report.say(&format!("{mebibytes:.1} MiB of {files} {noun} locked; a signal ends it"))?;
        signals.forever().next();
    }
    report.end()
}

struct Held<'a> {
    wanted: &'a Wanted,
    /// What is locked: until they end.
    mappings: Vec<Mapping>,
    bytes: u64,
}

impl Held<'_> {
    fn lock(&mut self, path: &Path) -> Outcome {
        let fail = |error: &io::Error| fault(path.into(), error);
        let file = open(path).map_err(|error| fail(&error))?;
        if self.wanted.sync {
            file.sync_all().map_err(|error| fail(&error))?;
        }
        let stretch = self.wanted.stretch;
        let page_bytes = disk::page_bytes() as u64;
        let file_bytes = file.len_bytes().map_err(|error| fail(&error))?;
        let bytes = stretch.within(file_bytes);
        let needed = bytes.end.div_ceil(page_bytes) - bytes.start / page_bytes;
        let needed_bytes = if bytes.is_empty() { 0 } else { needed * page_bytes };
        self.check_bound(path, needed_bytes)?;
        let before = advise::loaded_pages(&file, stretch).map_err(|error| fail(&error))?;
        let mapping = advise::lock(&file, stretch)
            .map_err(|error| self.refused(path, &error, needed_bytes))?;
        let pages = mapping.as_ref().map_or(0, Mapping::pages) as u64;
        self.mappings.extend(mapping);
        self.bytes += needed_bytes;
        let after = advise::loaded_pages(&file, stretch).map_err(|error| fail(&error))?;
        let (file, effect, why) = (path.into(), Effect::Whole, Vec::new());
        Ok(Done { file, pages, before, after, effect, why })
    }

    /// `--memory`.
    fn check_bound(&self, path: &Path, needed_bytes: u64) -> Result<(), Faulty> {
        let Some(bound) = self.wanted.memory_bytes else { return Ok(()) };
        if self.bytes + needed_bytes <= bound {
            return Ok(());
        }
        let what = format!(
            "not locked: {needed_bytes} bytes beside the {} that are would exceed --memory {}",
            self.bytes,
            bound >> 20
        );
        Err(Faulty { file: path.into(), what })
    }

    /// Why the kernel did not lock it.
    fn refused(&self, path: &Path, error: &io::Error, needed_bytes: u64) -> Faulty {
        let mut what = format!("not locked: {}", system_words(error));
        let limit = rustix::process::getrlimit(Resource::Memlock).current;
        if let Some(limit) = limit.filter(|limit| self.bytes + needed_bytes > *limit) {
            what += &format!(
                "; RLIMIT_MEMLOCK is {limit} bytes (ulimit -l, LimitMEMLOCK= of a unit), {} are \
                 locked already",
                self.bytes
            );
        }
        Faulty { file: path.into(), what }
    }
}
