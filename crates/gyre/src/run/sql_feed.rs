//! Feeds the tables of `--sql` while a run serves its store.

use std::path::Path;

use feed::{Health, Origin, Paces};
use server::Sql;

use super::event::Event;
use super::keeping::Kept;
use crate::sql::{PlaceError, address, feeder};

pub(super) use feed::{FeedThread, FeedWatch};

/// Why tables cannot be fed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    /// It is not known where they are.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The feeding cannot begin.
    #[error(transparent)]
    Start(#[from] feed::StartError),
}

/// Starts to feed the tables that `file` is or names.
pub(super) fn start(file: &Path, kept: &Kept) -> Result<FeedThread, SqlError> {
    let address = address(file)?;
    let tell = |words: &str| Event::warning("sql", words).tell();
    let origin = Origin::new(kept.store.clone()).at(&kept.root);
    let name = feeder("gyre run");
    Ok(FeedThread::start(origin, address, name, Paces::default(), Box::new(tell))?)
}

/// Why tables are not fed, as long as they are not.
pub(super) fn trouble(health: &Health) -> Option<String> {
    let error = health.last_error.as_ref().filter(|_| !health.is_connected)?;
    Some(format!("SQL: {error}; what is missing there follows"))
}

/// What pages show of it.
pub(super) fn shown(health: &Health) -> Sql {
    let Health { is_connected, databases, failures, tally, .. } = health;
    Sql {
        is_connected: *is_connected,
        databases: *databases as u64,
        failures: u64::from(*failures),
        rows: tally.rows,
        rows_lost: tally.rows_lost,
    }
}
