//! Rows that are read again by who has not seen them become final.

use rrd::{Definition, Stretch, Timestamp};

/// The rows of a database that became final after a mark, which is the last update that somebody
/// has seen.
///
/// What [`update_watched`](crate::Store::update_watched) told of the updates since stands here once
/// more, bit for bit, as long as nothing but updates changed the database: definition and last
/// update tell what else to expect. A database that was made anew under the name, or put back to an
/// earlier state, is read as it is now.
#[derive(Clone, Debug)]
pub struct RowsSince {
    /// What the database holds.
    pub definition: Definition,
    /// When its last update was: the mark to go on from.
    pub last_update: Timestamp,
    /// For each archive its rows since the mark; the first of them may be lost, which new ones have
    /// taken the place of ([`Stretch::rows_before`]). `None` for SEASONAL and DEVSEASONAL, whose
    /// rows are smoothed after they became final: what was told of them stands nowhere any more.
    pub archives: Vec<Option<Stretch>>,
}
