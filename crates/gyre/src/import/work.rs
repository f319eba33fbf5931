//! Files to databases, on every core.

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

/// What became of the files.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) came: usize,
    pub(super) were_there: usize,
    /// One for each that was not taken.
    pub(super) problems: Vec<Failure>,
}

/// Takes files in. A file that cannot be taken stops no other; a store that cannot go on does.
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
    /// What the store says that cannot go on.
    failure: Mutex<Option<Failure>>,
}

/// What a file is.
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
        // Batches that never became full. This is the last thread: no other would take them.
        loop {
            let Some(batch) = self.gathering().take_any() else { break };
            self.adopt(&batch, queue);
        }
    }

    /// Reads a file, unless its database is there.
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
        // An update of rrdtool's fails where it cannot have its lock: none is taken.
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

    /// Hands a group to the store.
    fn adopt(&self, batch: &[Adoptee], queue: &Queue) {
        let is_failed = || self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if is_failed() {
            return;
        }
        match self.store.adopt(batch, &|| true) {
            Ok(()) => self.outcome().came += batch.len(),
            Err(Error::Unfit { reason, .. }) => {
                // They are of one layout: what is said of one is true of all.
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
