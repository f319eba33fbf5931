//! Feeds the tables of `--sql` while a run serves its store.

use std::path::Path;

use feed::{FeedThread, Origin, Paces};

use super::event::Event;
use super::keeping::Kept;
use crate::sql::{PlaceError, address, feeder};

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
