//! Many queries at once, answered in the order in which the databases lie in the store.

use std::ops::ControlFlow;
use std::path::Path;

use rrd::Stretch;
use rrd::fetch::Query;

use crate::Error;

/// Rows that are wanted of a database.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The name of the database.
    pub name: &'a Path,
    /// Which rows.
    pub query: Query,
}

/// Gets the answer to a query by its position. Where it breaks off, no other answer comes.
pub type TakeRows<'t> = dyn FnMut(usize, Result<Stretch, Error>) -> ControlFlow<()> + 't;
