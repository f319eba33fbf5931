//! Another history of the same target, on the rows of this one.

use rrd::refill::{Past, prefill};
use rrd::spec::Origin;
use rrd::{NoRoom, NoWholeTicks, Room, Snapshot};

/// Why another history cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum Unmerged {
    /// Its rows do not fit in memory.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// It counts time otherwise.
    #[error("the other database cannot be merged: {0}")]
    Ticks(#[from] NoWholeTicks),
}

/// What another database says of the rows of this one, consolidated as they are.
pub(crate) fn as_rows_of(
    whole: &Snapshot,
    other: &Snapshot,
    room: &mut Room,
) -> Result<Snapshot, Unmerged> {
    let other = other.clone().in_tick(whole.definition.tick)?;
    let mut seen = Snapshot::empty(&whole.definition, whole.live.last_update, room)?;
    let origins = vec![Origin { name: None, nth: None }; whole.definition.sources.len()];
    prefill(&mut seen, &Past { databases: std::slice::from_ref(&other), origins: &origins }, room)?;
    Ok(seen)
}

/// Takes over what is unknown.
pub(crate) fn fill(rows: &mut [f64], other: &[f64]) {
    for (row, other) in rows.iter_mut().zip(other).filter(|(row, _)| row.is_nan()) {
        *row = *other;
    }
}
