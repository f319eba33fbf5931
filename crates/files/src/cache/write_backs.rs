//! Write-backs that may not be durable: the log is held for them until a sync has made them so.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use disk::PosixMedium;
use journal::{LogPosition, RrdId};
use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::entry::Entry;
use super::files_in_doubt::FilesInDoubt;
use super::lost_pages::LostPages;
use super::{Log, LogPin};

/// A write-back that may not be durable.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) entry: Arc<Entry>,
    pub(super) device: u64,
    pub(super) number: RrdId,
    pub(super) log_pin: LogPin,
    /// All lines of the file before here are in it.
    pub(super) through: LogPosition,
    /// Whether samples were written to the file, and not merely logged once more.
    pub(super) is_write_back: bool,
}

impl Written {
    fn put_in_doubt(&self, in_doubt: &mut FilesInDoubt) {
        in_doubt.add(&self.entry.path, (self.number, self.log_pin));
    }
}

/// Write-backs that may not be durable, in the list that says what they wait for.
#[derive(Debug, Default)]
pub(super) struct WriteBacks {
    /// They wait for the next sync.
    written: Mutex<Vec<Written>>,
    /// Lines that were logged once more, and are given up once their copies are durable.
    carried: Mutex<Vec<Written>>,
    /// Files of which a write-back may be lost though they look whole: the log keeps what it has
    /// for them until they are settled from it.
    in_doubt: Mutex<FilesInDoubt>,
    /// Held while files are synced.
    syncing: Mutex<()>,
    pub(super) lost_pages: Arc<LostPages>,
}

impl WriteBacks {
    pub(super) fn new(lost_pages: Arc<LostPages>) -> Self {
        Self { lost_pages, ..Self::default() }
    }

    /// Waits until every write-back so far is durable, and frees what of the log it needs no more.
    ///
    /// # Errors
    /// A file system could not be synced: what its files need is kept.
    pub(super) fn sync(
        &self,
        log: &Log<PosixMedium>,
        syncs: &impl SyncsFiles,
    ) -> Result<(), Error> {
        let _syncing = self.syncing();
        let waiting = std::mem::take(&mut *self.written());
        let mut waiting = self.keep_in_doubt(waiting);
        let mut failed = Ok(());
        while let Some(device) = waiting.first().map(|first| first.device) {
            let (of_device, others) =
                waiting.into_iter().partition::<Vec<_>, _>(|each| each.device == device);
            waiting = others;
            let (durable, synced) = self.sync_device(of_device, syncs);
            let noted = log.written(
                durable.iter().map(|written| (written.number, written.log_pin, written.through)),
            );
            match noted {
                Ok(()) => note_durable(&durable),
                Err(error) => {
                    self.written().extend(durable);
                    failed = Err(error.into());
                }
            }
            failed = failed.and(synced);
        }
        failed
    }

    /// Syncs a device. Returns the write-backs that are durable then.
    ///
    /// Linux tells once that it could not write a page, and takes the page for clean from then on:
    /// the next sync succeeds without it. So after a failure each file is asked for by itself,
    /// those that were written meanwhile too; one that failed, here or where updates were to be
    /// acknowledged, is in doubt.
    fn sync_device(
        &self,
        mut of_device: Vec<Written>,
        syncs: &impl SyncsFiles,
    ) -> (Vec<Written>, Result<(), Error>) {
        let device = of_device.first().map(|first| first.device);
        if syncs.sync_device(&of_device).is_ok() {
            return (of_device, Ok(()));
        }
        self.lost_pages.wait_for_writes();
        of_device.extend(self.written().extract_if(.., |written| Some(written.device) == device));
        let lost = self.lost_pages.take();
        let mut failures: HashMap<Box<Path>, Error> = HashMap::new();
        for written in &of_device {
            let path = &*written.entry.path;
            let synced = match lost.contains(path) {
                true => Err(Error::io("syncing", path)(std::io::ErrorKind::Other.into())),
                false => syncs.sync_file(path),
            };
            if let Err(error) = synced {
                failures.entry(path.into()).or_insert(error);
            }
        }
        let (failed, durable): (Vec<_>, Vec<_>) =
            of_device.into_iter().partition(|it| failures.contains_key(&it.entry.path));
        let mut in_doubt = self.in_doubt();
        failed.iter().for_each(|written| written.put_in_doubt(&mut in_doubt));
        drop(in_doubt);
        let files = failures.len();
        let synced = failures
            .into_values()
            .next()
            .map_or(Ok(()), |cause| Err(Error::InDoubt { files, cause: cause.to_string() }));
        (durable, synced)
    }

    /// Waits until no other thread syncs files: what it syncs is in no list meanwhile.
    pub(super) fn wait_for_sync(&self) {
        drop(self.syncing());
    }

    /// Whether a write-back of an entry's file is not known to be durable; the entry is held.
    pub(super) fn is_being_written(&self, entry: &Entry) -> bool {
        self.wait_for_sync();
        self.is_written(entry) || self.in_doubt().contains(&entry.path)
    }

    /// Whether a write-back of an entry's file waits for a sync.
    pub(super) fn is_written(&self, entry: &Entry) -> bool {
        self.written().iter().any(|written| written.entry.id == entry.id)
    }

    /// Keeps other threads from syncing files.
    fn syncing(&self) -> MutexGuard<'_, ()> {
        self.syncing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn carried(&self) -> MutexGuard<'_, Vec<Written>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn written(&self) -> MutexGuard<'_, Vec<Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn in_doubt(&self) -> MutexGuard<'_, FilesInDoubt> {
        self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes write-backs whose file is in doubt. Returns the others.
    fn keep_in_doubt(&self, written: Vec<Written>) -> Vec<Written> {
        let mut in_doubt = self.in_doubt();
        let (doubtful, others): (Vec<_>, Vec<_>) =
            written.into_iter().partition(|it| in_doubt.contains(&it.entry.path));
        doubtful.iter().for_each(|written| written.put_in_doubt(&mut in_doubt));
        others
    }

    /// Whether the lines of a file in doubt lie before a position.
    pub(super) fn has_doubt_before(&self, position: LogPosition) -> bool {
        self.in_doubt().held().any(|(_, log_pin)| log_pin.is_before(position))
    }

    /// How many files are in doubt.
    pub(super) fn count_in_doubt(&self) -> usize {
        self.in_doubt().count()
    }

    /// The bases of a file in doubt, by number; its entry is held. They are all in the list of
    /// files in doubt then, and in no other.
    pub(super) fn gather(&self, path: &Path) -> Vec<(RrdId, LogPin)> {
        let _syncing = self.syncing();
        let of_file = |written: &mut Written| *written.entry.path == *path;
        let mut waiting: Vec<Written> = self.written().extract_if(.., of_file).collect();
        waiting.extend(self.carried().extract_if(.., of_file));
        let mut in_doubt = self.in_doubt();
        waiting.iter().for_each(|written| written.put_in_doubt(&mut in_doubt));
        in_doubt.held_of(path)
    }
}

/// Files whose samples are on disk again may take as many as others.
fn note_durable(durable: &[Written]) {
    for written in durable.iter().filter(|it| it.is_write_back) {
        written.entry.is_in_doubt.store(false, Ordering::Relaxed);
        written.entry.undurable_bytes.store(0, Ordering::Relaxed);
    }
}

/// How write-backs are made durable.
pub(super) trait SyncsFiles {
    /// Syncs the file system that these were written to.
    fn sync_device(&self, written: &[Written]) -> Result<(), Error>;

    /// Syncs one file; one that is gone needs no sync.
    fn sync_file(&self, path: &Path) -> Result<(), Error>;
}

#[cfg(test)]
mod tests {
    use tracing_mutex::stdsync::Mutex;

    use super::{SyncsFiles, WriteBacks, Written};
    use crate::cache::entry::Entry;
    use crate::cache::{Base, Lines, Log, LogOptions};
    use disk::PosixMedium;
    use journal::RrdId;
    use store::Error;

    /// A file system of which a sync fails while a file is being written; of that file it tells
    /// once.
    struct Failing<'a> {
        write_backs: &'a WriteBacks,
        written_meanwhile: Mutex<Option<Written>>,
    }

    impl SyncsFiles for Failing<'_> {
        fn sync_device(&self, _: &[Written]) -> Result<(), Error> {
            match self.written_meanwhile.lock().unwrap().take() {
                Some(written) => {
                    self.write_backs.written().push(written);
                    Err(Error::Unacknowledged("a page is lost".into()))
                }
                None => Ok(()),
            }
        }

        fn sync_file(&self, path: &std::path::Path) -> Result<(), Error> {
            match path.ends_with("meanwhile.rrd") {
                true => Err(Error::Unacknowledged("it was of this file".into())),
                false => Ok(()),
            }
        }
    }

    fn written(log: &Log<PosixMedium>, name: &str, id: u32) -> Written {
        let (path, state) = (name.as_bytes().to_vec(), vec![0]);
        let base = Base { path, fingerprint: 0, newest_rows: Vec::new(), state };
        let (number, mut lines) = (RrdId(id), Lines::default());
        lines.base(number, &base.view());
        let log_pin = log.append(&mut lines).unwrap().expect("there is a base");
        let entry = std::sync::Arc::new(Entry::new(name.as_ref(), id));
        let through = log.position();
        Written { entry, device: 7, number, log_pin, through, is_write_back: true }
    }

    #[test]
    fn a_write_back_that_comes_while_a_sync_fails_is_in_doubt() {
        let room = tempfile::tempdir().unwrap();
        let medium = PosixMedium::open(room.path()).unwrap();
        let (log, _) = Log::open(medium, LogOptions::default()).unwrap();
        let write_backs = WriteBacks::default();
        write_backs.written().push(written(&log, "before.rrd", 1));
        let written_meanwhile = Mutex::new(Some(written(&log, "meanwhile.rrd", 2)));
        let failing = Failing { write_backs: &write_backs, written_meanwhile };
        write_backs.sync(&log, &failing).unwrap_err();
        let doubtful = |name: &str| write_backs.in_doubt().contains(name.as_ref());
        assert!(doubtful("meanwhile.rrd") && !doubtful("before.rrd"));
        assert!(write_backs.written().is_empty());
    }
}
