//! Many queries in one call, answered in the order in which the databases are stored.

use std::ops::ControlFlow;
use std::path::Path;

use rrd::Stretch;
use rrd::fetch::Query;

use crate::Error;

/// A query to a database.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The name of the database.
    pub name: &'a Path,
    /// Which rows.
    pub query: Query,
}

/// Receives the answer to each query, with the query's position. If it returns `Break`, nothing more
/// is read; answers that were read together with this one still come.
pub type TakeRows<'t> = dyn FnMut(usize, Result<Stretch, Error>) -> ControlFlow<()> + 't;
