//! Another history of the same target, on the rows of this one.

use rrd::refill::{Past, PastError, prefill};
use rrd::spec::Origin;
use rrd::{Room, Snapshot};

/// What another database says of the rows of this one, consolidated as they are.
pub(crate) fn as_rows_of(
    whole: &Snapshot,
    other: &Snapshot,
    room: &mut Room,
) -> Result<Snapshot, PastError> {
    let mut seen = Snapshot::empty(&whole.definition, whole.live.last_update, room)?;
    let origins = vec![Origin { name: None, nth: None }; whole.definition.sources.len()];
    prefill(&mut seen, &Past { databases: std::slice::from_ref(other), origins: &origins }, room)?;
    Ok(seen)
}

/// Takes over what is unknown.
pub(crate) fn fill(rows: &mut [f64], other: &[f64]) {
    for (row, other) in rows.iter_mut().zip(other).filter(|(row, _)| row.is_nan()) {
        *row = *other;
    }
}
