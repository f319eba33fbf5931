//! Whether a row of the attic is still needed.

use crate::attic::AtticEntry;
use crate::group::{Group, Status};

/// Whether an entry has a row that its member may still show.
pub(crate) fn is_needed(group: &Group, entry: &AtticEntry) -> bool {
    let nth = usize::from(entry.member);
    let Some(member) = group.members.get(nth) else { return false };
    let Some(shape) = group.geometry.shapes().get(usize::from(entry.shape)) else { return false };
    let ours = member.status.has(Status::PRESENT) && member.generation.0 == entry.generation;
    let newest = group.newest_row(usize::from(entry.shape), group.last_pdp(entry.member));
    ours && entry.rows(group.geometry.sources()).end > newest - shape.rows as i64 + 1
}
