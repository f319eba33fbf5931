//! `.rrd` files in place, over the cache of files.

use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use rrd::fetch::Query;
use rrd::{Series, Snapshot};
use rrdfile::Header;
use rrdtool::Session;
use rrdtool::list::Unlisted;
use rrdtool::tune::Tuning;
use store::cache::{CacheOptions, CacheUpdate, FileCache, Flushed as CacheFlushed, Refusal};
use store::{Error, Existing, Outline};

use super::{Backend, Creation, Failure, Flushed, Statistics, Update, stamp};

/// A directory of files.
pub(crate) struct Files {
    cache: FileCache,
}

impl Files {
    /// Files that are written as the options say.
    ///
    /// # Errors
    /// The journal is damaged, or belongs to another process.
    pub(crate) fn open(options: CacheOptions) -> Result<Self, Error> {
        FileCache::open(options).map(|cache| Self { cache })
    }
}

impl Backend for Files {
    fn update(&self, updates: &[Update<'_>]) -> Vec<(usize, Failure)> {
        let given = updates.iter().map(|&Update { path, values }| CacheUpdate { path, values });
        let given: Vec<CacheUpdate<'_>> = given.collect();
        let refused = self.cache.append(&given).into_iter();
        refused.map(|(nth, failed)| (nth, told(updates[nth].path, failed.refusal))).collect()
    }

    fn flush(&self, path: &Path) -> Result<Flushed, Failure> {
        let is_known = self.cache.pending(path).is_some();
        match self.cache.flush(path).map_err(failure)? {
            CacheFlushed::Nothing if !is_known && !path.is_file() => Err(Failure::Missing),
            CacheFlushed::Nothing if !is_known => Ok(Flushed::Nothing),
            _ => Ok(Flushed::Written),
        }
    }

    fn flush_all(&self) {
        self.cache.flush_all();
    }

    fn pending(&self, path: &Path) -> Vec<String> {
        self.cache.pending(path).unwrap_or_default()
    }

    fn forget(&self, path: &Path) -> Result<(), Failure> {
        if self.cache.forget(path).map_err(failure)? { Ok(()) } else { Err(Failure::Missing) }
    }

    fn queue(&self) -> Vec<(u64, Vec<u8>)> {
        let queue = self.cache.queue().into_iter();
        queue.map(|(values, path)| (values, path.into_os_string().into_vec())).collect()
    }

    fn suspend(&self, path: &Path) -> Result<bool, Failure> {
        self.cache.suspend(path).ok_or(Failure::Missing)
    }

    fn resume(&self, path: &Path) -> Result<bool, Failure> {
        self.cache.resume(path).ok_or(Failure::Missing)
    }

    fn suspend_all(&self) -> u64 {
        self.cache.suspend_all()
    }

    fn resume_all(&self) -> u64 {
        self.cache.resume_all()
    }

    fn statistics(&self) -> Statistics {
        let report = self.cache.report();
        Statistics {
            queue_length: report.queue,
            updates_written: report.updates_written,
            data_sets_written: report.data_sets_written,
            tree_nodes_number: report.files,
            journal_bytes: report.journal_bytes,
            journal_rotate: report.journal_rotations,
            more: vec![
                ("ReplayWaiting", report.unsettled),
                ("JournalHeld", report.journal_held_bytes),
                ("FilesAbsent", report.absent),
                ("DataSetsRefusedLate", report.refused_late),
                ("DataSetsOrphaned", report.orphaned),
                ("LockWaits", report.lock_waits),
                ("WriteFailures", report.write_failures),
            ],
        }
    }

    fn outline(&self, path: &Path) -> Result<Outline, Failure> {
        let Header { definition, live, .. } = self.header(path)?;
        Ok(Outline { definition, last_update: live.last_update })
    }

    fn header(&self, path: &Path) -> Result<Header, Failure> {
        self.cache.header(path).map_err(failure)
    }

    fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Failure> {
        self.cache.fetch(path, query).map_err(failure)
    }

    fn snapshot(&self, path: &Path) -> Result<(Header, Snapshot), Failure> {
        self.cache.snapshot(path).map_err(failure)
    }

    fn create(&self, path: &Path, creation: &Creation<'_>) -> Result<(), Failure> {
        let &Creation { definition, start, past, keeps_existing, goes_on } = creation;
        let existing = if keeps_existing { Existing::Keep } else { Existing::Replace };
        let make = || rrdtool::create::file_while(path, definition, start, past, existing, goes_on);
        self.cache.change(path, make).map_err(failure)?.map_err(Failure::Rrd)
    }

    fn tune(&self, path: &Path, tuning: &Tuning<'_>) -> Result<(), Failure> {
        let Some(name) = path.to_str() else {
            return Err(Failure::Rrd(format!("expected UTF-8, found '{}'", path.display())));
        };
        let work = || tuning.on(&mut Session::new(), name);
        self.cache.change(path, work).map_err(failure)?.map_err(Failure::Rrd)
    }

    fn has_directories(&self) -> bool {
        true
    }

    fn list(
        &self,
        directory: &Path,
        is_recursive: bool,
        is_open: &dyn Fn(&Path) -> bool,
    ) -> io::Result<Vec<String>> {
        let names = rrdtool::list::below(&mut Session::new(), directory, is_recursive, is_open);
        names.map_err(|error| match error {
            Unlisted::System(error) => error,
            Unlisted::Refused(words) => io::Error::other(words),
        })
    }

    fn close(&self, is_flushing: bool) -> Result<(), Failure> {
        self.cache.close(is_flushing);
        Ok(())
    }
}

/// A refused update in rrdcached's words.
fn told(path: &Path, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Timestamp(_) => Failure::Told(refusal.to_string()),
        Refusal::Readings(error) => Failure::Rrd(format!("{}: {error}", path.display())),
        Refusal::Store(Error::Update { source, .. }) => {
            stamp::refused(&path.to_string_lossy(), &source)
        }
        Refusal::Store(error) => failure(error),
    }
}

fn failure(error: Error) -> Failure {
    match &error {
        Error::Io { source, .. } if source.kind() == ErrorKind::NotFound => Failure::Missing,
        Error::Io { source, .. } if source.kind() == ErrorKind::IsADirectory => Failure::Irregular,
        _ => Failure::Rrd(error.in_rrdtools_words()),
    }
}
