//! Rows for readers that have not seen them become final.

use rrd::{Definition, Stretch, Timestamp};

/// The rows of a database that became final after a mark, which is the last update that the reader
/// has seen.
///
/// As long as only updates changed the database, these are the same rows, bit for bit, that
/// [`update_watched`](crate::Store::update_watched) reported since then. Definition and last update
/// tell whether that holds. If the database was created again under the name, or restored to an
/// earlier state, the rows are those of now.
#[derive(Clone, Debug)]
pub struct RowsSince {
    /// Its definition.
    pub definition: Definition,
    /// The time of its last update: the mark to continue from.
    pub last_update: Timestamp,
    /// For each archive its rows since the mark. The first of them may have been overwritten by
    /// newer ones ([`Stretch::rows_before`]). `None` for SEASONAL and DEVSEASONAL, whose rows are
    /// smoothed after they become final: the values reported then are not stored any more.
    pub archives: Vec<Option<Stretch>>,
}
