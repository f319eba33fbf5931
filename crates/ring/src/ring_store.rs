//! The ring store in a real directory: a lock, and a thread that does what is due.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use disk::{File, HeldLock, Identity, Medium, Mode, PosixMedium};
use store::{Error, Follower, StoreReport};

use super::store_lock::{LOCK_FILE, lock_of, locked};
use super::{Engine, LoneUpdates, LookUp, RingOptions};

/// How long the thread waits before it looks again, while something happens.
const PATIENCE: Duration = Duration::from_millis(200);

/// A ring store in a directory.
///
/// It belongs to one process at a time. Dropping it writes a checkpoint of every group, so that the
/// next opening has little to do; a process that is killed loses nothing either.
#[derive(Debug)]
pub struct RingStore {
    root: PathBuf,
    engine: Arc<Engine<PosixMedium>>,
    ending: Arc<AtomicBool>,
    workers: Vec<JoinHandle<()>>,
    follower: Follower,
    // Last, so that the lock outlives everything else.
    _lock: HeldLock,
}

impl RingStore {
    pub(crate) fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Whether a directory is a ring store.
    #[must_use]
    pub fn is_at(root: &Path) -> bool {
        File::identity_of(&root.join(LOCK_FILE)).is_ok()
    }

    /// Which store is in a directory, as long as none is put in its place.
    ///
    /// # Errors
    /// Those of `stat(2)`.
    pub fn identity_at(root: &Path) -> std::io::Result<Identity> {
        File::identity_of(&root.join(LOCK_FILE)).map(|(identity, _)| identity)
    }

    /// Where the process that has the store in a directory open answers others.
    #[must_use]
    pub fn socket_at(root: &Path) -> PathBuf {
        root.join("socket")
    }

    /// Whether a process has the store in a directory open.
    ///
    /// # Errors
    /// There is none, or it cannot be asked.
    pub fn is_open_at(root: &Path) -> std::io::Result<bool> {
        File::open(&root.join(LOCK_FILE), Mode::Read)?.is_locked(Mode::Read)
    }

    /// Makes a store in a directory, which is made if it is missing and must be empty.
    ///
    /// # Errors
    /// There is a store already, or another process is making one; those of the machine.
    pub fn create(root: &Path, options: RingOptions) -> Result<Self, Error> {
        disk::create_directory(root).map_err(Error::io("creating", root))?;
        let path = root.join(LOCK_FILE);
        let lock = match File::create(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                File::open(&path, Mode::Update)
            }
            created => created,
        };
        let lock = locked(lock.map_err(Error::io("creating", &path))?, Mode::Update, root)?;
        let medium = PosixMedium::open(root).map_err(Error::io("opening", root))?;
        Self::running(root, Engine::create_store(medium, options)?, options, lock)
    }

    /// Opens a store. Everything that was acknowledged is there when this returns: what is asked for
    /// is replayed first where the log has more of it, and all else in the background
    /// ([`Engine::replaying`](super::Engine::replaying)).
    ///
    /// # Errors
    /// There is none, another process has it ([`Error::Locked`]), or it is damaged; those of the
    /// machine.
    pub fn open(root: &Path, options: RingOptions) -> Result<Self, Error> {
        let lock = lock_of(root)?;
        let medium = PosixMedium::open(root).map_err(Error::io("opening", root))?;
        let engine = Engine::open_store(medium, options).map_err(Error::refused(root))?;
        Self::running(root, engine, options, lock)
    }

    /// Opens the store of a directory, or makes one.
    ///
    /// # Errors
    /// As [`RingStore::open`] and [`RingStore::create`].
    pub fn open_or_create(root: &Path, options: RingOptions) -> Result<Self, Error> {
        // A creation that was interrupted left no catalogue.
        if Self::is_at(root) && File::identity_of(&root.join("catalogue")).is_ok() {
            Self::open(root, options)
        } else {
            Self::create(root, options)
        }
    }

    /// Looks at a few databases of a store that no process has open, of which nothing is written.
    /// It need not be opened for that, which would read all of it.
    ///
    /// # Errors
    /// There is no store, or another process has it open ([`Error::Locked`]); those of the machine.
    pub fn look_up(root: &Path, options: RingOptions) -> Result<LookUp, Error> {
        LookUp::at(root, options)
    }

    /// Takes updates of single databases of a store that no process has open. It need not be opened
    /// for that, which would read all of it.
    ///
    /// # Errors
    /// As [`RingStore::look_up`].
    pub fn lone_updates(root: &Path, options: RingOptions) -> Result<LoneUpdates, Error> {
        LoneUpdates::at(root, options)
    }

    fn running(
        root: &Path,
        engine: Engine<PosixMedium>,
        options: RingOptions,
        lock: HeldLock,
    ) -> Result<Self, Error> {
        let RingOptions { sync_every, replay_threads, .. } = options;
        let engine = Arc::new(engine);
        let ending = Arc::new(AtomicBool::new(false));
        let spawn = |name: &str, work: fn(&Engine<PosixMedium>, Option<Duration>, &AtomicBool)| {
            let (engine, ending) = (Arc::clone(&engine), Arc::clone(&ending));
            std::thread::Builder::new()
                .name(name.into())
                .spawn(move || work(&engine, sync_every, &ending))
                .map_err(Error::io("starting a thread for", root))
        };
        let mut workers = vec![spawn("gyre-flush", work_until)?];
        if engine.upkeep().is_replaying() {
            for _ in 0..replay_threads {
                workers.push(spawn("gyre-replay", replay_until)?);
            }
        }
        let (root, follower) = (root.into(), Follower::default());
        Ok(Self { root, engine, ending, workers, follower, _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The engine below.
    #[must_use]
    pub fn engine(&self) -> &Engine<PosixMedium> {
        &self.engine
    }

    /// What the store says of itself, after all groups were replayed.
    #[must_use]
    pub fn report(&self) -> StoreReport {
        self.engine.report()
    }

    /// Writes a checkpoint of every group and ends.
    ///
    /// # Errors
    /// A checkpoint could not be written; what was acknowledged is in the log.
    pub fn close(mut self) -> Result<(), Error> {
        self.stop_workers()?;
        self.engine.end()
    }

    /// Syncs the log, does what is due, and ends. It is for a process that came for a few databases
    /// only: checkpoints of all groups would cost far more than that. The next opening replays the
    /// log.
    ///
    /// # Errors
    /// As [`RingStore::close`].
    pub fn leave(mut self) -> Result<(), Error> {
        self.stop_workers()?;
        self.engine.sync()?;
        self.engine.work().map(drop)
    }

    /// Ends the threads. Returns whether they were still there.
    fn stop_workers(&mut self) -> Result<bool, Error> {
        if self.workers.is_empty() {
            return Ok(false);
        }
        self.ending.store(true, Ordering::Release);
        self.engine.upkeep().due().wake();
        let joined: Vec<_> = self.workers.drain(..).map(JoinHandle::join).collect();
        match joined.into_iter().all(|joined| joined.is_ok()) {
            true => Ok(true),
            false => Err(Error::Stopped("a thread that flushes or replays panicked".into())),
        }
    }
}

impl Drop for RingStore {
    fn drop(&mut self) {
        // What fails here is in the log.
        if matches!(self.stop_workers(), Ok(true)) {
            let _ = self.engine.end();
        }
    }
}

/// Replays groups, so that those that nobody asks for do not keep the log.
fn replay_until<M: Medium<File: 'static>>(
    engine: &Engine<M>,
    _: Option<Duration>,
    ending: &AtomicBool,
) {
    while !ending.load(Ordering::Acquire) && engine.upkeep().replay_once().is_some() {}
}

fn work_until<M: Medium<File: 'static>>(
    engine: &Engine<M>,
    sync_every: Option<Duration>,
    ending: &AtomicBool,
) {
    let (upkeep, due) = (engine.upkeep(), engine.upkeep().due());
    let syncs = DeferredSyncs::every(sync_every);
    let is_ending = || ending.load(Ordering::Acquire);
    while !is_ending() {
        let rests = syncs.rest(due.take_stirred()) && !upkeep.waits_for_time();
        let patience = syncs.due_in().map_or(PATIENCE, |left| left.min(PATIENCE));
        due.wait((!rests).then_some(patience));
        // Segments are made before an update waits for one. What fails is told by the report, and
        // tried again: a segment when it is needed, a flush with the group's next one.
        let keep_log = || {
            let _ = upkeep.prepare_log();
            while matches!(upkeep.outline_log(), Ok(true)) {}
        };
        keep_log();
        while upkeep.work_once().is_some() {
            syncs.sync_if_due(engine);
            keep_log();
        }
        let is_quiet = || {
            let is_replaying = upkeep.is_replaying();
            !is_replaying && !is_ending() && !upkeep.take_made_some() && due.is_empty()
        };
        work_while_quiet(engine, is_quiet, is_ending, &syncs);
        syncs.sync_if_due(engine);
    }
}

/// Does what can wait, step by step, as long as nothing else is due. A large new group gets
/// gigabytes of zeros, and groups that are put together many megabytes of rows: the log is synced
/// meanwhile.
fn work_while_quiet<M: Medium<File: 'static>>(
    engine: &Engine<M>,
    is_quiet: impl Fn() -> bool,
    is_ending: impl Fn() -> bool,
    syncs: &DeferredSyncs,
) {
    let upkeep = engine.upkeep();
    while is_quiet() && upkeep.prepare_tiles() {
        syncs.sync_if_due(engine);
    }
    let goes_on = || {
        syncs.sync_if_due(engine);
        !is_ending()
    };
    // What fails is tried again later, and less and less often.
    while is_quiet() && matches!(upkeep.regroup_while(&goes_on), Ok(true)) {
        syncs.sync_if_due(engine);
    }
}

/// The syncs of the log that the flushing thread owes with [`RingOptions::sync_every`].
#[derive(Debug)]
struct DeferredSyncs {
    every: Option<Duration>,
    last: Cell<Instant>,
    /// Something was taken since.
    is_owed: Cell<bool>,
}

impl DeferredSyncs {
    #[allow(clippy::disallowed_methods)] // syncs come as time passes, not as calls come
    fn every(every: Option<Duration>) -> Self {
        Self { every, last: Cell::new(Instant::now()), is_owed: Cell::new(true) }
    }

    /// Whether no sync is owed and nothing has happened since this was asked last.
    fn rest(&self, was_stirred: bool) -> bool {
        let is_owed = was_stirred || self.is_owed.get();
        self.is_owed.set(is_owed && self.every.is_some());
        !was_stirred && !self.is_owed.get()
    }

    /// How long until the next one; `None` if there are none.
    fn due_in(&self) -> Option<Duration> {
        self.every.map(|every| every.saturating_sub(self.last.get().elapsed()))
    }

    fn sync_if_due<M: Medium<File: 'static>>(&self, engine: &Engine<M>) {
        if self.due_in().is_some_and(|left| left.is_zero()) {
            self.last.set(self.last.get() + self.last.get().elapsed());
            // What failed stays pending; the next append fails with it.
            self.is_owed.set(engine.sync().is_err());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use disk::{AnyMedium, FaultPlan, FaultyMedium, Restart, Survival};
    use rrd::{Definition, Reading, Sample, Timestamp};

    use super::{DeferredSyncs, work_while_quiet};
    use crate::{Engine, RingOptions, Sync};
    use store::Update;

    const START_SECONDS: i64 = 1_600_000_000;
    const STEP_SECONDS: i64 = 10;

    /// A store with the database `a`, on a disk that loses what is not synced.
    fn with_a(rows: u64) -> (FaultyMedium, Engine<AnyMedium>) {
        let plan = FaultPlan { survival: Survival::Nothing, ..FaultPlan::default() };
        let medium = FaultyMedium::new(plan);
        let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
        engine.create("a", &definition(rows), Timestamp::from_seconds(START_SECONDS)).unwrap();
        (medium, engine)
    }

    /// All databases are durable; only an update of `a` waits in the log.
    fn update_a(engine: &Engine<AnyMedium>) {
        engine.checkpoint().unwrap();
        let samples = [Sample { time: updated(), readings: &["1"].map(Reading::of) }];
        assert!(engine.update(&[Update::of("a", &samples)]).is_empty());
    }

    fn options() -> RingOptions {
        RingOptions { sync: Sync::Deferred, replay_threads: 0, ..RingOptions::default() }
    }

    fn updated() -> Timestamp {
        Timestamp::from_seconds(START_SECONDS + STEP_SECONDS)
    }

    fn definition(rows: u64) -> Definition {
        let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
        let words = ["DS:x:GAUGE:100:U:U", &archive];
        rrd::spec::definition(STEP_SECONDS as u64, words).unwrap()
    }

    fn assert_it_survived(medium: &FaultyMedium) {
        let after = medium.restart(Restart::PowerCut, FaultPlan::default());
        let engine = Engine::open_store(AnyMedium::of(after), options()).unwrap();
        let (_, state) = engine.describe("a").unwrap();
        assert_eq!(state.last_update, updated());
    }

    #[test]
    fn an_update_survives_a_power_cut_while_small_groups_are_put_together() {
        let (medium, engine) = with_a(10);
        let whole = engine.snapshot("a").unwrap();
        (0..8).for_each(|nth| engine.restore(&format!("b{nth}"), &whole).unwrap());
        while engine.upkeep().prepare_tiles() {}
        update_a(&engine);
        // The store is told to end while groups are read.
        let asked = Cell::new(0);
        let is_ending = || asked.replace(asked.get() + 1) == 3;
        let syncs = DeferredSyncs::every(Some(Duration::ZERO));
        work_while_quiet(&engine, || asked.get() == 0, is_ending, &syncs);
        assert_eq!(asked.get(), 4);
        assert_it_survived(&medium);
    }

    #[test]
    fn an_update_survives_a_power_cut_while_a_large_new_group_gets_its_zeros() {
        let (medium, engine) = with_a(100_000);
        update_a(&engine);
        let pieces = Cell::new(0);
        let three_pieces = || pieces.replace(pieces.get() + 1) < 3;
        let syncs = DeferredSyncs::every(Some(Duration::ZERO));
        work_while_quiet(&engine, three_pieces, || false, &syncs);
        assert!(engine.upkeep().prepare_tiles(), "the group is too small: it has all its zeros");
        assert_it_survived(&medium);
    }
}
