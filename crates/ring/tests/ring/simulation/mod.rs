//! A store on a machine that fails by plan, beside a model of what it acknowledged.
//!
//! Everything that happens to databases is a record of one log, so that a crash keeps a prefix of
//! what happened: all that was acknowledged, and possibly some of what came after, in its order.
//! What was acknowledged without waiting for the disk ([`Sync::Deferred`]) survives the end of the
//! process; a power cut may take it.

mod changes;
mod updates;
mod closed;
mod search;
mod looks;

use std::collections::BTreeMap;

use disk::{AnyMedium, FaultPlan, FaultyMedium, Restart};
use journal::JournalError;
use ring::catalogue::CatalogueError;
use ring::{Engine, RingOptions, Sync};
use rrd::Snapshot;
use store::Error;

use crate::model::{Model, Op};
use looks::LOOKED_AT_MAX;
use search::Search;
pub(crate) use updates::Readings;

/// So many of the states that a store was expected to be in are shown when it is in none.
const DIFFERENCES_SHOWN: usize = 12;

/// The state that a store is in.
struct Reached {
    state: Model,
    /// After so many of what was not durable.
    pending: usize,
    /// And after this, which failed.
    doubtful: Option<Op>,
}

/// A store on a machine that fails by plan, beside a model of what it acknowledged.
pub(crate) struct Simulation {
    pub(crate) medium: FaultyMedium,
    pub(crate) engine: Option<Engine<AnyMedium>>,
    pub(crate) options: RingOptions,
    /// After everything that a power cut cannot take.
    durable: Model,
    /// What happened since.
    pending: Vec<Op>,
    /// So many of `pending`, from its beginning, survive the end of the process.
    written: usize,
    /// What failed, and may have happened all the same, and how many of `pending` were before it.
    doubtful: Vec<(usize, Op)>,
    /// After everything that happened.
    pub(crate) live: Model,
    /// The store was made, as far as anybody was told.
    created: bool,
    /// It refuses to go on until it is opened again.
    pub(crate) stopped: bool,
    /// Opening was tried in vain so often.
    failed_openings: u32,
}

impl Simulation {
    pub(crate) fn new(options: RingOptions, plan: FaultPlan) -> Self {
        Self {
            medium: FaultyMedium::new(plan),
            engine: None,
            options,
            durable: Model::default(),
            pending: Vec::new(),
            written: 0,
            doubtful: Vec::new(),
            live: Model::default(),
            created: false,
            stopped: false,
            failed_openings: 0,
        }
    }

    pub(crate) fn engine(&self) -> &Engine<AnyMedium> {
        self.engine.as_ref().expect("the store is open")
    }

    /// Whether there is a store, as far as programs see.
    pub(crate) fn is_made(&self) -> bool {
        let names = disk::Medium::list(&self.medium.seen()).expect("it is in memory");
        names.iter().any(|name| name == ring::copied::CATALOGUE)
    }

    /// Opens the store and holds what it finds against the model. Whether that came to its end:
    /// the machine may have failed.
    pub(crate) fn open(&mut self) -> bool {
        assert!(self.engine.is_none());
        let opened = match Engine::open_store(AnyMedium::of(self.medium.clone()), self.options) {
            Err(error)
                if matches!(of_catalogue(&error), Some(CatalogueError::NotAStore { .. }))
                    && !self.created =>
            {
                Engine::create_store(AnyMedium::of(self.medium.clone()), self.options)
            }
            opened => opened,
        };
        let engine = match opened {
            Ok(engine) => engine,
            Err(error) => {
                self.assert_of_the_machine(&error);
                self.failed_openings += 1;
                return false;
            }
        };
        self.created = true;
        self.stopped = false;
        self.engine = Some(engine);
        assert!(self.engine().damaged_groups().is_empty(), "{:?}", self.engine().damaged_groups());
        self.find()
    }

    /// Finds out how much of what was not acknowledged is there after an opening.
    fn find(&mut self) -> bool {
        let Some(found) = self.read_all() else { return false };
        let Reached { state, .. } = self.reached(&found);
        self.live = state.clone();
        self.durable = state;
        self.pending.clear();
        self.acknowledge();
        true
    }

    /// The state that a store is in which holds what was found, among those that it may be in.
    fn reached(&self, found: &BTreeMap<String, Snapshot>) -> Reached {
        let mut search = Search::new(self.durable.clone(), found);
        let mut differences = Vec::new();
        let written = self.written;
        for nth in 0..=self.pending.len() {
            if nth >= written {
                if let Some(state) = search.reached() {
                    return Reached { state, pending: nth, doubtful: None };
                }
                for (_, op) in self.doubtful.iter().filter(|(before, _)| *before == nth) {
                    if let Some(state) = search.reached_by(op) {
                        return Reached { state, pending: nth, doubtful: Some(op.clone()) };
                    }
                }
                differences.extend(search.difference());
            }
            if let Some(op) = self.pending.get(nth) {
                search.apply(op);
            }
        }
        let pending = self.pending.len();
        let from = differences.len().saturating_sub(DIFFERENCES_SHOWN);
        panic!("{pending} not durable, {written} of them written: {:#?}", &differences[from..]);
    }

    /// Everything in the store, unless the machine fails for long.
    fn read_all(&self) -> Option<BTreeMap<String, Snapshot>> {
        let names = self.insist(|| self.engine().names())?;
        if names.len() > LOOKED_AT_MAX {
            return self.read_all_together();
        }
        let mut found = BTreeMap::new();
        for name in names {
            let snapshot = self.insist(|| self.engine().snapshot(&name))?;
            found.insert(name, snapshot);
        }
        Some(found)
    }

    fn read_all_together(&self) -> Option<BTreeMap<String, Snapshot>> {
        let parties = self.engine().departures().all();
        let tries = (0..20).map(|_| self.departures(&parties));
        let departures = tries.take_while(|_| !self.medium.has_crashed()).flatten().next()?;
        Some(departures.into_iter().map(|each| (each.name, each.snapshot)).collect())
    }

    /// Tries a few times.
    fn insist<T>(&self, work: impl Fn() -> Result<T, Error>) -> Option<T> {
        for _ in 0..20 {
            match work() {
                Ok(done) => return Some(done),
                Err(error) => self.assert_of_the_machine(&error),
            }
            if self.medium.has_crashed() {
                break;
            }
        }
        None
    }

    /// Takes everything that happened for durable.
    pub(crate) fn acknowledge(&mut self) {
        for op in self.pending.drain(..) {
            let _ = self.durable.apply(&op); // what was refused is refused again
        }
        self.doubtful.clear();
        self.written = 0;
    }

    /// Takes everything that happened for acknowledged, in the way that the store acknowledges.
    fn acknowledge_as_synced(&mut self) {
        match self.options.sync {
            Sync::Always => self.acknowledge(),
            Sync::Deferred => self.written = self.pending.len(),
        }
    }

    /// Ends this life. A process that is `killed` closes nothing.
    pub(crate) fn restart(&mut self, how: Restart, plan: FaultPlan, killed: bool) {
        if how == Restart::PowerCut {
            self.written = 0;
        }
        if !killed {
            self.engine = None;
        }
        self.medium = self.medium.restart(how, plan);
        self.engine = None;
    }

    /// Opens the store again, on a machine without faults if this one crashes or goes on failing.
    pub(crate) fn restart_until_open(&mut self, how: Restart, plan: FaultPlan, killed: bool) {
        self.restart(how, plan, killed);
        self.failed_openings = 0;
        while !self.open() {
            self.engine = None;
            if self.medium.has_crashed() || self.failed_openings > 20 {
                self.restart(how, FaultPlan::default(), true);
            }
        }
    }

    fn happened(&mut self, op: Op) {
        let _ = self.live.apply(&op); // no update is given here
        self.pending.push(op);
    }

    fn assert_of_the_machine(&self, error: &Error) {
        assert!(is_of_the_machine(error), "{error:?}");
    }

    /// Does what is due; a failure is tried again later.
    pub(crate) fn work(&mut self) {
        self.engine().upkeep().prepare_tiles();
        // What fails is read by the next opening.
        while matches!(self.engine().upkeep().outline_log(), Ok(true)) {}
        self.engine().upkeep().replay_once();
        if let Err(error) = self.engine().work() {
            self.assert_of_the_machine(&error);
        }
    }

    /// Puts small groups together until nothing is left to do; a failure is tried again later.
    pub(crate) fn regroup(&mut self) {
        loop {
            match self.engine().upkeep().regroup_once() {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return self.assert_of_the_machine(&error),
            }
        }
    }

    /// Waits for the disk.
    pub(crate) fn sync(&mut self) {
        match self.engine().sync() {
            Ok(()) => self.acknowledge(),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    pub(crate) fn checkpoint(&mut self) {
        match self.engine().checkpoint() {
            Ok(()) => self.acknowledge(),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    /// Whether it takes what it is handed, as far as is known.
    pub(crate) fn is_serving(&self) -> bool {
        self.reads_count()
    }

    /// A store that stopped has lost what reads would need; until it is opened again they may fail.
    fn reads_count(&self) -> bool {
        !self.medium.has_crashed() && !self.stopped && !self.engine().report().stopped
    }
}

/// Whether an error is one that the machine gave, and no claim of damage.
pub(crate) fn is_of_the_machine(error: &Error) -> bool {
    let given = |source: &std::io::Error| {
        matches!(source.raw_os_error(), Some(5 | 28))
            || source.to_string().contains("simulated machine")
    };
    match of_catalogue(error) {
        Some(CatalogueError::Io { source, .. }) => return given(source),
        Some(CatalogueError::Unusable { .. }) => return true,
        _ => {}
    }
    match error {
        Error::Io { source, .. } | Error::Journal(JournalError::Io { source, .. }) => given(source),
        Error::Stopped(_) | Error::Unacknowledged(_) => true,
        _ => false,
    }
}

/// What the catalogue says, if the error is one of its.
fn of_catalogue(error: &Error) -> Option<&CatalogueError> {
    match error {
        Error::Catalogue { source, .. } => source.downcast_ref(),
        _ => None,
    }
}
