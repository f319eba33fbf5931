//! What stands in the place of `sql_feed` in a program that is built without the feature `sql`: a
//! feed that never is.

use std::convert::Infallible;
use std::path::Path;

use server::Sql;

use super::keeping::Kept;
use crate::sql::WithoutSql;

/// Why tables cannot be fed.
pub(crate) type SqlError = WithoutSql;

/// Stands for the real one; no value of it exists.
pub(super) struct FeedThread(Infallible);

/// Stands for the real one; no value of it exists.
#[derive(Clone)]
pub(super) struct FeedWatch(Infallible);

/// Stands for the real one; no value of it exists.
pub(super) struct Health(Infallible);

impl FeedThread {
    pub(super) fn watch(&self) -> FeedWatch {
        match self.0 {}
    }
}

/// The real one ends when it is dropped, and its owner drops it for that.
impl Drop for FeedThread {
    fn drop(&mut self) {}
}

impl FeedWatch {
    pub(super) fn health(&self) -> Health {
        match self.0 {}
    }
}

/// Fails: this program has no SQL.
pub(super) fn start(_file: &Path, _kept: &Kept) -> Result<FeedThread, SqlError> {
    Err(WithoutSql)
}

pub(super) fn trouble(health: &Health) -> Option<String> {
    match health.0 {}
}

pub(super) fn shown(health: &Health) -> Sql {
    match health.0 {}
}
