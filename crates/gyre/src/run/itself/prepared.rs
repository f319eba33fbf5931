//! The databases of a run's own: those that are there, and those that are made.

use std::path::Path;

use rrd::Timestamp;
use server::OwnSeries;
use store::{Error, Store};

use super::super::event::Event;
use super::series::{ALL, OwnDatabase};

/// A new database begins this long before its first value.
const START_BEFORE_SECONDS: i64 = 10;

/// Why a run does not measure something of itself.
#[derive(Debug, thiserror::Error)]
enum NotMeasured {
    /// A database has the name that is none of the run's own.
    #[error("{0}: expected a database that a run made for itself, found another one")]
    Another(String),
    /// The store cannot tell of it or make it.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Which databases are wanted.
pub(super) struct Wanted<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) step_seconds: u64,
    pub(super) has_journal: bool,
    /// The name of a database, by its key.
    pub(super) named: &'a dyn Fn(&str) -> String,
    pub(super) now_seconds: i64,
}

impl Wanted<'_> {
    /// Those that are there or can be made; why others are not is told.
    pub(super) fn prepare(&self) -> Vec<OwnSeries> {
        let wanted = ALL.iter().filter(|own| self.has_journal || own.key != "journal");
        let series = wanted.filter_map(|own| {
            let prepared = self.one(own);
            let told = |why: &NotMeasured| Event::warning("not measured", why).tell();
            prepared.inspect_err(told).ok()
        });
        series.collect()
    }

    fn one(&self, own: &OwnDatabase) -> Result<OwnSeries, NotMeasured> {
        let database = (self.named)(own.key);
        let path = Path::new(&database);
        let step_seconds = match self.store.outline(path) {
            Ok(there) if own.is(&there.definition) => there.definition.step_seconds,
            Ok(_) => return Err(NotMeasured::Another(database)),
            Err(error) if error.is_missing() => {
                let start = Timestamp::from_seconds(self.now_seconds - START_BEFORE_SECONDS);
                self.store.create(path, &own.definition(self.step_seconds), start)?;
                self.step_seconds
            }
            Err(error) => return Err(error.into()),
        };
        Ok(OwnSeries {
            key: own.key,
            title: own.title,
            about: own.about,
            unit: own.unit,
            database: database.into(),
            sources: own.sources.to_vec(),
            step_seconds,
        })
    }
}
