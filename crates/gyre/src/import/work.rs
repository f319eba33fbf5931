//! Reads files into databases on every core.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use disk::Moment;
use mrtg::log_file::LogFile;
use ring::file::{Foreign, Gathering, adoptee};
use store::Adoptee;
use store::{Adopt, Error};

use super::sources::{Kind, Source};
use crate::on_every_core::{Queue, on_every_core};
use rrdtool::Failure;

/// What was imported.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) came: usize,
    pub(super) were_there: usize,
    /// Why files were not imported, one entry for each.
    pub(super) problems: Vec<Failure>,
}

/// Imports files. A file that cannot be imported does not stop the others. A store that fails does.
pub(super) fn import(
    store: &dyn Adopt,
    sources: &[Source],
    replace: bool,
) -> Result<Outcome, Failure> {
    let import = Import {
        store,
        sources,
        replace,
        gathering: Mutex::new(Gathering::new(store.bytes_at_once())),
        outcome: Mutex::default(),
        failure: Mutex::default(),
    };
    on_every_core("import", sources.len(), |queue| import.work(queue));
    let failure = import.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = import.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(outcome), Err)
}

struct Import<'a> {
    store: &'a dyn Adopt,
    sources: &'a [Source],
    replace: bool,
    gathering: Mutex<Gathering>,
    outcome: Mutex<Outcome>,
    /// The failure of a store that cannot take any more databases.
    failure: Mutex<Option<Failure>>,
}

/// What reading a file gave.
enum Taken {
    WasThere,
    New(Box<Adoptee>),
}

impl Import<'_> {
    fn work(&self, queue: &Queue) {
        let mut bytes = Vec::new();
        while let Some(source) = queue.next().and_then(|nth| self.sources.get(nth)) {
            let batch = match self.take(source, &mut bytes) {
                Ok(Taken::New(adoptee)) => self.gathering().push(*adoptee),
                Ok(Taken::WasThere) => {
                    self.outcome().were_there += 1;
                    queue.did(1);
                    None
                }
                Err(problem) => {
                    self.outcome().problems.push(problem);
                    queue.did(1);
                    None
                }
            };
            batch.into_iter().for_each(|batch| self.adopt(&batch, queue));
        }
        // Hand over the batches that are not full. This is the last thread, so no other does it.
        loop {
            let Some(batch) = self.gathering().take_any() else { break };
            self.adopt(&batch, queue);
        }
    }

    /// Reads a file, unless the store already has its database.
    fn take(&self, source: &Source, bytes: &mut Vec<u8>) -> Result<Taken, Failure> {
        let place = &source.path.display();
        let metadata = std::fs::metadata(&source.path).map_err(Failure::at(place))?;
        let modified_nanos = modified_nanos(&metadata);
        if !self.replace {
            let known = self.store.came_from(&source.name, modified_nanos);
            match known.map_err(Failure::at(place))? {
                None => {}
                Some(true) => return Ok(Taken::WasThere),
                Some(false) => {
                    return Err(Failure::misuse(format!(
                        "{place}: the store has another {} (--replace puts the file in its place)",
                        source.name
                    )));
                }
            }
        }
        // No lock is taken: while it is held, an update by rrdtool fails at once.
        backup::read_whole(&source.path, bytes, Moment::now).map_err(Failure::at(place))?;
        let taken = match source.kind {
            Kind::Rrd => {
                let taken = adoptee(&source.name, bytes, modified_nanos);
                taken.map_err(|error| error.called(Path::new(&source.name), &source.path))?
            }
            Kind::Log => {
                let taken = log_adoptee(&source.name, bytes, modified_nanos);
                taken.map_err(Failure::of).map_err(Failure::at(place))?
            }
        };
        Ok(Taken::New(Box::new(taken)))
    }

    /// Imports a batch of one layout into the store.
    fn adopt(&self, batch: &[Adoptee], queue: &Queue) {
        let is_failed = || self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if is_failed() {
            return;
        }
        match self.store.adopt(batch, &|| true) {
            Ok(()) => self.outcome().came += batch.len(),
            Err(Error::Unfit { reason, .. }) => {
                // All databases of the batch have one layout: a refusal of one is a refusal of all.
                let unfit = |each: &Adoptee| {
                    Error::Unfit { name: each.name.clone(), reason: reason.clone() }.into()
                };
                self.outcome().problems.extend(batch.iter().map(unfit));
            }
            Err(error) => {
                queue.give_up();
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error.into());
            }
        }
        queue.did(batch.len());
    }

    fn gathering(&self) -> std::sync::MutexGuard<'_, Gathering> {
        self.gathering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outcome(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn modified_nanos(metadata: &Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

fn log_adoptee(
    name: &str,
    bytes: &[u8],
    modified_nanos: i64,
) -> Result<Adoptee, mrtg::log_file::LogFault> {
    let snapshot = LogFile::parse(bytes)?.snapshot();
    let foreign = Foreign { modified_nanos, ..Foreign::default() };
    Ok(Adoptee { name: name.into(), snapshot, foreign: Some(foreign.encode()) })
}
