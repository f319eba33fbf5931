//! More or fewer rows of one archive, as `resize` gives them: new ones are unknown.

use super::change::RowChange;
use crate::{Snapshot, UNKNOWN};

/// The database with so many rows of an archive; where there are more, the oldest are unknown.
///
/// `None` if there would be no row, or more than can be counted.
///
/// # Panics
/// If there is no such archive.
#[must_use]
pub fn resize(mut snapshot: Snapshot, archive: usize, change: RowChange) -> Option<Snapshot> {
    let old_rows = snapshot.definition.archives[archive].rows;
    let rows = match change {
        RowChange::Grow(more) => old_rows.checked_add(more)?,
        RowChange::Shrink(fewer) => old_rows.checked_sub(fewer)?,
        RowChange::To(rows) => rows,
    };
    let sources = snapshot.definition.sources.len();
    let values = usize::try_from(rows).ok()?.checked_mul(sources).filter(|values| *values > 0)?;
    let ring = &mut snapshot.rows[archive];
    let kept = ring.split_off(ring.len().saturating_sub(values));
    let mut new = vec![UNKNOWN; values - kept.len()];
    new.extend(kept);
    *ring = new;
    snapshot.definition.archives[archive].rows = rows;
    Some(snapshot)
}
