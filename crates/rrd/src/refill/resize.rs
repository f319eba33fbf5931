//! More or fewer rows of one archive, as `resize` gives them: new ones are unknown.

use super::change::{ChangeError, RowChange};
use crate::{Room, Snapshot};

/// The database with so many rows of an archive; where there are more, the oldest are unknown.
///
/// # Errors
/// [`ChangeError::NoSuchArchive`], [`ChangeError::NoRowLeft`], [`ChangeError::TooManyRows`],
/// [`ChangeError::NoRoom`].
pub fn resize(
    mut snapshot: Snapshot,
    archive: usize,
    change: RowChange,
    room: &mut Room,
) -> Result<Snapshot, ChangeError> {
    let found = snapshot.definition.archives.get(archive).ok_or(ChangeError::NoSuchArchive)?;
    let old_rows = found.rows;
    let rows = match change {
        RowChange::Grow(more) => {
            old_rows.checked_add(more).ok_or(ChangeError::TooManyRows(archive))?
        }
        RowChange::Shrink(fewer) => old_rows.saturating_sub(fewer),
        RowChange::To(rows) => rows,
    };
    let sources = snapshot.definition.sources.len();
    if rows == 0 || sources == 0 {
        return Err(ChangeError::NoRowLeft);
    }
    let mut new = room.unknown_rows(rows, sources)?;
    let ring = &mut snapshot.rows[archive];
    let kept = ring.len().min(new.len());
    let (new_len, old_len) = (new.len(), ring.len());
    new[new_len - kept..].copy_from_slice(&ring[old_len - kept..]);
    *ring = new;
    snapshot.definition.archives[archive].rows = rows;
    Ok(snapshot)
}
