//! The first look at a file, and every later one.

use std::path::Path;
use std::sync::Arc;
use std::sync::MutexGuard;

use disk::{File, Stamp};
use store::{Error, Locking};

use super::Core;
use super::entry::{Entry, EntryState, Known};
use super::new_files::OnDisk;
use super::pending::{End, Pending};
use super::schedule::Second;
use super::shape::{Intake, Shape, Shapes};
use crate::{Access, RrdFile};

/// Files that a thread looks at which helps with a batch.
pub(super) const FILES_PER_HELPER: usize = 16;
/// Smaller batches are not helped with.
const HELPED_FROM: usize = 2 * FILES_PER_HELPER;
/// Threads that look at files together: what a disk can do at once.
pub(super) const HELPERS_MAX: usize = 8;

impl Core {
    /// The entry of a path, held; made if there is none.
    pub(super) fn hold<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Arc<Entry>, MutexGuard<'_, EntryState>) -> T,
    ) -> T {
        loop {
            let entry = self.table.get_or_add(path);
            let state = entry.lock();
            if !state.gone {
                return work(&entry, state);
            }
        }
    }

    /// The entry of a path, held, if there is one.
    pub(super) fn hold_known<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Arc<Entry>, MutexGuard<'_, EntryState>) -> T,
    ) -> Option<T> {
        loop {
            let entry = self.table.get(path)?;
            let state = entry.lock();
            if !state.gone {
                return Some(work(&entry, state));
            }
        }
    }

    /// Makes sure that an entry knows what its file is like: looks at it the first time, and again
    /// where it has changed. To look now and then is enough, since what is written is never made
    /// from what was seen here.
    ///
    /// # Errors
    /// The file cannot be read, or not updated by this machine.
    pub(super) fn look(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        head_reader: &mut HeadReader,
    ) -> Result<(), Error> {
        self.ensure_settled(entry, state, head_reader)?;
        let now = self.clock.now();
        let is_ready = self.journaled.is_none() || state.logged.is_ready();
        if let Some(known) = state.known.as_mut().filter(|_| is_ready) {
            if u64::from(now - known.looked) < self.options.look_every.as_secs() {
                return Ok(());
            }
            let stamp = File::stamp_of(&entry.path).map_err(Error::io("opening", &entry.path))?;
            known.looked = now;
            if stamp == known.stamp {
                return Ok(());
            }
        }
        self.load(entry, state, head_reader)
    }

    /// Looks at the file itself; pending samples that it does not take any more are dropped.
    fn load(
        &self,
        entry: &Arc<Entry>,
        state: &mut EntryState,
        head_reader: &mut HeadReader,
    ) -> Result<(), Error> {
        self.check_doubt(entry)?;
        let before = state.known.take().map(|known| known.stamp);
        state.logged.forget_base();
        let seen = head_reader.look_at(&entry.path, &self.shapes)?;
        let (mut known, file) = (seen.known(self.clock.now()), seen.file);
        if before != Some(known.stamp) {
            state.on_disk = OnDisk::Unknown;
        }
        let before = state.pending.count();
        if before > 0 {
            state.pending = taken_anew(&mut known, &state.pending, seen.intake);
            self.note_refused(entry, before - state.pending.count());
        }
        state.known = Some(known);
        self.stand_on(entry, state, file)?;
        if before > 0 && state.pending.is_empty() {
            // Nothing is left of what was logged.
            self.note_dropped(entry, state);
        }
        if state.pending.is_empty() {
            self.note_base(entry, state, file);
        }
        Ok(())
    }

    /// Has several threads look at files that nobody looked at yet: an idle disk answers many
    /// questions in the time of one.
    pub(super) fn look_together<'a>(&self, paths: impl ExactSizeIterator<Item = &'a Path>) {
        if paths.len() < HELPED_FROM {
            return;
        }
        let unknown: Vec<_> = paths
            .map(|path| self.table.get_or_add(path))
            .filter(|entry| entry.lock().known.is_none())
            .collect();
        let helpers = (unknown.len() / FILES_PER_HELPER).min(HELPERS_MAX);
        let next = std::sync::atomic::AtomicUsize::new(0);
        let help = || {
            let mut head_reader = HeadReader::default();
            while let Some(entry) =
                unknown.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
            {
                let mut state = entry.lock();
                if state.known.is_none() && !state.gone {
                    // The next update of it is told what fails.
                    let _ = self.look(entry, &mut state, &mut head_reader);
                }
            }
        };
        std::thread::scope(|scope| (0..helpers).for_each(|_| drop(scope.spawn(help))));
    }

    /// Tells of samples that were taken once and now are not: the file changed under them.
    pub(super) fn note_refused(&self, entry: &Entry, refused: u32) {
        if refused > 0 {
            self.counters.refused_late.add(refused.into());
            let path = entry.path.display();
            self.options.note(&format!(
                "{path}: another program changed the file; {refused} waiting samples are not \
                 after its last update or do not fit it, and were dropped"
            ));
        }
    }
}

/// Looks at one file after the other, without a lock. Most are of the definition of the one before,
/// which is not decoded again then.
#[derive(Debug, Default)]
pub(super) struct HeadReader {
    before: Option<(RrdFile, Arc<Shape>)>,
    intake: Intake,
}

/// A file that is looked at.
pub(super) struct Seen<'a> {
    pub(super) file: &'a RrdFile,
    stamp: Stamp,
    shape: Arc<Shape>,
    /// Room to take samples into it.
    pub(super) intake: &'a mut Intake,
}

impl Seen<'_> {
    pub(super) fn known(&self, looked: Second) -> Known {
        let sources = self.shape.sources(&self.file.header().live);
        Known { shape: Arc::clone(&self.shape), sources, stamp: self.stamp, looked }
    }
}

impl HeadReader {
    pub(super) fn look_at(&mut self, path: &Path, shapes: &Shapes) -> Result<Seen<'_>, Error> {
        let (file, stamp, shape) = match self.before.take() {
            None => {
                let file = RrdFile::open_locking(path, Access::Update, Locking::None)?;
                let stamp = file.stamp()?;
                let shape = shapes.of(file.header());
                (file, stamp, shape)
            }
            Some((mut file, shape)) => {
                let (stamp, is_alike) = file.turn_to(path)?;
                let shape = if is_alike { shape } else { shapes.of(file.header()) };
                (file, stamp, shape)
            }
        };
        let (file, shape) = self.before.insert((file, shape));
        Ok(Seen { file, stamp, shape: Arc::clone(shape), intake: &mut self.intake })
    }
}

/// Takes pending samples into a file's sources; what is left are those that were taken.
pub(super) fn taken_anew(known: &mut Known, pending: &Pending, intake: &mut Intake) -> Pending {
    intake.begin(&known.shape, &known.sources);
    let mut left = Pending::default();
    let mut readings = Vec::new();
    for (text, end) in pending.iter() {
        let sample = known.shape.reader.read_numbered(text, &mut readings);
        let taken = sample
            .is_ok_and(|time| intake.take(&rrd::Sample { time, readings: &readings }).is_ok());
        if taken {
            left.push(text);
            if end == End::Command {
                left.end_command(text);
            }
        }
    }
    intake.end(&mut known.sources);
    left
}
