//! A store on a machine that fails by plan, beside a model of what it acknowledged.
//!
//! Everything that happens to databases is a record of one log, so that a crash keeps a prefix of
//! what happened: all that was acknowledged, and possibly some of what came after, in its order.

use std::collections::BTreeMap;

use disk::{FaultPlan, FaultyMedium, Restart};
use rrd::fetch::Query;
use rrd::update::UpdateError;
use rrd::{Definition, Sample, Snapshot, Timestamp};
use store::journal::JournalError;
use store::journal::record::Tuning;
use store::ring::catalogue::CatalogueError;
use store::ring::{Engine, RingOptions};
use store::{Append, AppendValues, Error};

use crate::model::{Model, Op, assert_same};

/// Samples for one database, owned.
#[derive(Clone, Debug)]
pub(crate) struct Readings {
    pub(crate) name: String,
    pub(crate) samples: Vec<(Timestamp, Vec<String>)>,
}

/// A store on a machine that fails by plan, beside a model of what it acknowledged.
pub(crate) struct Simulation {
    pub(crate) medium: FaultyMedium,
    pub(crate) engine: Option<Engine<FaultyMedium>>,
    pub(crate) options: RingOptions,
    /// After everything that was acknowledged.
    durable: Model,
    /// What happened since.
    pending: Vec<Op>,
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
            doubtful: Vec::new(),
            live: Model::default(),
            created: false,
            stopped: false,
            failed_openings: 0,
        }
    }

    pub(crate) fn engine(&self) -> &Engine<FaultyMedium> {
        self.engine.as_ref().expect("the store is open")
    }

    /// Opens the store and holds what it finds against the model. Whether that came to its end:
    /// the machine may have failed.
    pub(crate) fn open(&mut self) -> bool {
        assert!(self.engine.is_none());
        let opened = match Engine::open_store(self.medium.clone(), self.options) {
            Err(Error::Catalogue(CatalogueError::NotAStore { .. })) if !self.created => {
                Engine::create_store(self.medium.clone(), self.options)
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
        let mut candidate = self.durable.clone();
        let mut differences = Vec::new();
        for nth in 0..=self.pending.len() {
            let doubtful = self.doubtful.iter().filter(|(before, _)| *before == nth);
            let with_doubtful = doubtful.map(|(_, op)| {
                let mut with = candidate.clone();
                let _ = with.apply(op); // it is no update
                with
            });
            for each in std::iter::once(candidate.clone()).chain(with_doubtful) {
                match each.difference(&found) {
                    Ok(()) => {
                        self.live = each;
                        self.acknowledge();
                        return true;
                    }
                    Err(difference) => differences.push(difference),
                }
            }
            if let Some(op) = self.pending.get(nth) {
                let _ = candidate.apply(op); // what was refused is refused again
            }
        }
        panic!("{} not acknowledged: {differences:#?}", self.pending.len());
    }

    /// Everything in the store, unless the machine fails for long.
    fn read_all(&self) -> Option<BTreeMap<String, Snapshot>> {
        let names = self.insist(|| self.engine().names())?;
        let mut found = BTreeMap::new();
        for name in names {
            let snapshot = self.insist(|| self.engine().snapshot(&name))?;
            found.insert(name, snapshot);
        }
        Some(found)
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
        self.durable = self.live.clone();
        self.pending.clear();
        self.doubtful.clear();
    }

    /// Ends this life. A process that is `killed` closes nothing.
    pub(crate) fn restart(&mut self, how: Restart, plan: FaultPlan, killed: bool) {
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

    /// What became of a call that changes one thing: whether it happened is seen in the store.
    fn settle(&mut self, done: Result<(), Error>, op: Op, happened: impl Fn(&Self) -> bool) {
        match done {
            Ok(()) => {
                self.happened(op);
                self.acknowledge();
            }
            Err(error) => {
                self.assert_of_the_machine(&error);
                self.stopped |= matches!(error, Error::Stopped(_));
                if !matches!(error, Error::Stopped(_)) && happened(self) {
                    self.happened(op);
                }
            }
        }
    }

    fn exists(&self, name: &str) -> bool {
        let described = self.engine().describe(name);
        !matches!(&described, Err(Error::Io { source, path, .. })
            if source.kind() == std::io::ErrorKind::NotFound && path.as_os_str() == name)
    }

    pub(crate) fn create(&mut self, name: &str, definition: &Definition, start: Timestamp) {
        let done = self.engine().create(name, definition, start);
        let op = Op::Create { name: name.into(), definition: definition.clone(), start };
        self.settle(done, op, |simulation| simulation.exists(name));
    }

    pub(crate) fn delete(&mut self, name: &str) {
        let done = self.engine().delete(name);
        self.settle(done, Op::Delete { name: name.into() }, |simulation| !simulation.exists(name));
    }

    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let done = self.engine().rename(from, to);
        let op = Op::Rename { from: from.into(), to: to.into() };
        self.settle(done, op, |simulation| simulation.exists(to));
    }

    pub(crate) fn tune(&mut self, name: &str, tuning: Tuning) {
        let done = self.engine().tune(name, &tuning);
        // What fails is the log, when it was done already.
        self.settle(done, Op::Tune { name: name.into(), tuning }, |_| true);
    }

    pub(crate) fn restore(&mut self, name: &str, snapshot: &Snapshot) {
        let op = Op::Restore { name: name.into(), snapshot: Box::new(snapshot.clone()) };
        match self.engine().restore(name, snapshot) {
            Ok(()) => {
                self.happened(op);
                self.acknowledge();
            }
            Err(error) => {
                self.assert_of_the_machine(&error);
                self.stopped |= self.engine().report().stopped;
                self.doubtful.push((self.pending.len(), op));
            }
        }
    }

    /// Appends a batch. Whoever was not refused is acknowledged or told.
    pub(crate) fn append(&mut self, batch: &[Readings]) {
        let failures = self.call_append(batch);
        if failures.values().any(|error| matches!(error, Error::Stopped(_))) {
            assert_eq!(failures.len(), batch.len(), "a store that stopped takes nothing");
            self.stopped = true;
            return;
        }
        let mut acknowledged = false;
        for (nth, each) in batch.iter().enumerate() {
            let expected = self.apply(each);
            match (failures.get(&nth), expected) {
                (None, Ok(())) => acknowledged = true,
                (Some(Error::Update { source, .. }), Err(expected)) => {
                    assert_eq!(*source, expected, "{}", each.name);
                }
                (Some(Error::Unacknowledged(_)), Ok(())) => {}
                (found, expected) => panic!("{}: {found:?}, expected {expected:?}", each.name),
            }
        }
        if acknowledged {
            self.acknowledge();
        }
    }

    fn call_append(&self, batch: &[Readings]) -> BTreeMap<usize, Error> {
        let values: Option<Vec<Vec<String>>> =
            batch.iter().map(|each| self.as_values(each)).collect();
        match values {
            // Half of those that can be told as the daemon's clients tell them.
            Some(values) if batch.len().is_multiple_of(2) => {
                self.call_append_values(batch, &values)
            }
            _ => self.call_append_samples(batch),
        }
    }

    /// Samples as texts, if all their times are whole seconds and nothing stands for what is calculated.
    fn as_values(&self, readings: &Readings) -> Option<Vec<String>> {
        let database = self.live.databases.get(&readings.name)?;
        let value = |(time, texts): &(Timestamp, Vec<String>)| {
            let is_read = |nth: usize| database.definition.sources[nth].kind.takes_readings();
            let plain = |(nth, text): (usize, &String)| is_read(nth) || text == "U";
            let whole = time.micros == 0 && time.seconds >= 0;
            (whole && texts.iter().enumerate().all(plain)).then(|| {
                let read = texts.iter().enumerate().filter(|(nth, _)| is_read(*nth));
                let read: Vec<&str> = read.map(|(_, text)| text.as_str()).collect();
                format!("{}:{}", time.seconds, read.join(":"))
            })
        };
        readings.samples.iter().map(value).collect()
    }

    fn call_append_values(
        &self,
        batch: &[Readings],
        values: &[Vec<String>],
    ) -> BTreeMap<usize, Error> {
        let values: Vec<Vec<&str>> =
            values.iter().map(|values| values.iter().map(String::as_str).collect()).collect();
        let named = batch.iter().zip(&values);
        let appends: Vec<AppendValues<'_>> =
            named.map(|(each, values)| AppendValues { name: &each.name, values }).collect();
        let refused = self.engine().append_values(&appends).into_iter();
        refused.map(|(nth, refused)| (nth, refused.error)).collect()
    }

    fn call_append_samples(&self, batch: &[Readings]) -> BTreeMap<usize, Error> {
        let texts: Vec<Vec<Vec<&str>>> = batch
            .iter()
            .map(|each| {
                each.samples
                    .iter()
                    .map(|(_, texts)| texts.iter().map(String::as_str).collect())
                    .collect()
            })
            .collect();
        let samples: Vec<Vec<Sample<'_>>> = batch
            .iter()
            .zip(&texts)
            .map(|(each, texts)| {
                let times = each.samples.iter().map(|(time, _)| *time);
                times.zip(texts).map(|(time, readings)| Sample { time, readings }).collect()
            })
            .collect();
        let appends: Vec<Append<'_>> = batch
            .iter()
            .zip(&samples)
            .map(|(each, samples)| Append { name: &each.name, samples })
            .collect();
        self.engine().append(&appends).into_iter().collect()
    }

    /// What the model makes of samples for one database: those behind a refused one are not taken.
    fn apply(&mut self, readings: &Readings) -> Result<(), UpdateError> {
        for (time, texts) in &readings.samples {
            let (name, time, readings) = (readings.name.clone(), *time, texts.clone());
            let op = Op::Update { name, time, readings };
            let taken = self.live.apply(&op);
            if !matches!(taken, Err(UpdateError::NotAfterLast { .. })) {
                self.pending.push(op);
            }
            taken?;
        }
        Ok(())
    }

    /// Does what is due; a failure is tried again later.
    pub(crate) fn work(&mut self) {
        if let Err(error) = self.engine().work() {
            self.assert_of_the_machine(&error);
        }
    }

    pub(crate) fn checkpoint(&mut self) {
        match self.engine().checkpoint() {
            Ok(()) => self.acknowledge(),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    /// A store that stopped has lost what reads would need; until it is opened again they may fail.
    fn reads_count(&self) -> bool {
        !self.medium.has_crashed() && !self.stopped && !self.engine().report().stopped
    }

    pub(crate) fn look_at(&self, name: &str) {
        let found = self.engine().snapshot(name);
        if !self.reads_count() {
            return;
        }
        match found {
            Ok(found) => assert_same(name, &found, &self.live.databases[name]),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    pub(crate) fn look_at_all(&self) {
        self.live.databases.keys().for_each(|name| self.look_at(name));
        let names = self.engine().names();
        if !self.reads_count() {
            return;
        }
        match names {
            Ok(names) => assert!(names.iter().eq(self.live.databases.keys()), "{names:?}"),
            Err(error) => self.assert_of_the_machine(&error),
        }
    }

    pub(crate) fn fetch(&self, name: &str, query: &Query) {
        let found = self.engine().fetch(name, query);
        if !self.reads_count() {
            return;
        }
        let expected = &self.live.databases[name];
        let last_seconds = expected.live.last_update.seconds;
        let window = rrd::fetch::window(&expected.definition, last_seconds, query);
        let (found, window) = match (found, window) {
            (Ok(found), Ok(window)) => (found, window),
            (Err(Error::Fetch { .. }), Err(_)) => return,
            (Err(error), _) => return self.assert_of_the_machine(&error),
            (Ok(_), Err(error)) => panic!("{name}: {query:?}: expected {error}"),
        };
        let sources = expected.definition.sources.len();
        let ring = &expected.rows[window.archive];
        let rows = (ring.len() / sources) as i64;
        for (nth, (_, values)) in found.iter().enumerate() {
            let age = window.first_age - nth as i64;
            for (source, value) in values.iter().enumerate() {
                let expected = match (0..rows).contains(&age) {
                    true => ring[(rows - 1 - age) as usize * sources + source],
                    false => rrd::UNKNOWN,
                };
                assert_eq!(value.to_bits(), expected.to_bits(), "{name}: {query:?} row {nth}");
            }
        }
    }
}

/// Whether an error is one that the machine gave, and no claim of damage.
pub(crate) fn is_of_the_machine(error: &Error) -> bool {
    let given = |source: &std::io::Error| {
        matches!(source.raw_os_error(), Some(5 | 28))
            || source.to_string().contains("simulated machine")
    };
    match error {
        Error::Io { source, .. }
        | Error::Journal(JournalError::Io { source, .. })
        | Error::Catalogue(CatalogueError::Io { source, .. }) => given(source),
        Error::Catalogue(CatalogueError::Unusable { .. }) => true,
        Error::Stopped(_) | Error::Unacknowledged(_) => true,
        _ => false,
    }
}
