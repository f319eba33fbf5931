//! Rows that a flush was to save, on a page that it finds damaged. They are lost once the page is
//! written over, or its attic removed.
//!
//! A mark in the attic stands for them, so that the loss is known as the rows would be: it is on
//! disk and counted in the log before anything is written over, it goes along into the next attic
//! as long as the member shows the rows, and a copy of the whole database meets it. The flush
//! tells it in a note.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use disk::Medium;
use geometry::PAGE_BYTES;
use journal::Generation;
use rrd::InSeconds;
use store::Damage;
use store::Error;

use super::attic::is_needed;
use super::notes::Notes;
use super::registry::Registry;
use super::rows_to_save::RowsToSave;
use super::{Cell, FileKind};
use crate::attic::{AtticEntry, LostFrom, LostRows};
use crate::group::{AtticPage, Group, TileKey};

/// Rows of some members that stood on one page.
struct Loss {
    from: LostFrom,
    /// The shape and its rows; `None` where it is not known which they were.
    rows: Option<(usize, Range<i64>)>,
    members: BTreeSet<u16>,
}

/// What these marks say of rows that are still shown.
pub(super) fn damage_of_marks<M: Medium<File: 'static>>(
    registry: &Registry<M>,
    cell: &Cell,
    marks: &[AtticEntry],
) -> Vec<Damage> {
    let losses = losses_of(&cell.group(), marks);
    let damage = |loss: &Loss| {
        let who = registry.names_of(cell.id, &loss.members);
        loss.damage(&cell.group(), &who)
    };
    losses.iter().map(damage).collect()
}

/// Notes what was lost by the flush under way.
pub(super) fn note_loss<M: Medium<File: 'static>>(
    registry: &Registry<M>,
    notes: &Notes,
    cell: &Cell,
    marks: Vec<AtticEntry>,
) {
    for damage in damage_of_marks(registry, cell, &marks) {
        notes.say(damage.to_string());
    }
    cell.group().lost_rows.extend(marks);
}

impl Loss {
    fn damage(&self, group: &Group, who: &str) -> Damage {
        let (file, offset_bytes) = place_of(group.id, self.from);
        let what = match &self.rows {
            Some((shape, rows)) => {
                let ends = ends_of(group, *shape, rows).unwrap_or_else(|| Ends::none(group));
                format!(
                    "a damaged tile was written over that had the rows of {who} that end from {} to \
                     {}; they are lost and read as unknown",
                    ends.first, ends.last
                )
            }
            None => format!(
                "a damaged page was given up that had old rows of {who}; they are lost and read as \
                 unknown"
            ),
        };
        Damage { file, offset_bytes: Some(offset_bytes), what }
    }
}

/// What the marks that memory knows say of rows that are still shown.
pub(super) fn known_losses(group: &Group) -> Vec<Damage> {
    let losses = losses_of(group, &group.lost_rows);
    let who = |loss: &Loss| {
        let members: Vec<String> = loss.members.iter().map(u16::to_string).collect();
        format!("members {}", members.join(", "))
    };
    losses.iter().map(|loss| loss.damage(group, &who(loss))).collect()
}

/// Marks the rows of a block that a member shows, whose page is damaged.
pub(super) fn mark_of_tile(
    cell: &Cell,
    key: TileKey,
    page: u64,
    RowsToSave { member, generation, oldest_row }: RowsToSave,
) -> Option<AtticEntry> {
    let shape = &cell.geometry.shapes()[key.shape as usize];
    let newest_row = oldest_row + shape.rows as i64 - 1;
    let unborn = unborn_row(&cell.group(), member, generation, key.shape as usize)?;
    let rows = shape.rows_of_block(key.block, cell.phase_pdps);
    let rows = rows.start.max(oldest_row).max(unborn + 1)..rows.end.min(newest_row + 1);
    mark((member, generation, key.shape as u16), rows, LostFrom::Tiles { page })
}

/// Marks rows of every member that had some on a page of the attic. Which ones is not known: any
/// that is in no other place.
pub(super) fn marks_of_attic_page(
    group: &Group,
    AtticPage { epoch, page }: AtticPage,
    had_rows: impl Fn(u16) -> bool,
) -> Vec<AtticEntry> {
    let mut marks = Vec::new();
    for (member, holder) in group.present().filter(|(member, _)| had_rows(*member)) {
        for (nth, shape) in group.geometry.shapes().iter().enumerate() {
            let newest = group.newest_row(nth, group.last_pdp(member));
            let generation = holder.generation.0;
            let Some(unborn) = unborn_row(group, member, generation, nth) else { continue };
            let rows = (newest - shape.rows as i64).max(unborn) + 1..newest + 1;
            let from = LostFrom::Attic { epoch, page };
            marks.extend(mark((member, generation, nth as u16), rows, from));
        }
    }
    marks
}

fn mark(
    (member, generation, shape): (u16, u32, u16),
    rows: Range<i64>,
    from: LostFrom,
) -> Option<AtticEntry> {
    let count = u32::try_from(rows.end.saturating_sub(rows.start)).ok().filter(|rows| *rows > 0)?;
    let lost = Some(LostRows { rows: count, from });
    Some(AtticEntry { generation, member, shape, first_row: rows.start, values: Vec::new(), lost })
}

/// The last row of a shape that a member never wrote; `None` if it is gone.
fn unborn_row(group: &Group, member: u16, generation: u32, nth: usize) -> Option<i64> {
    let holder = group.member(member, Generation(generation))?;
    let pdp_per_row = group.geometry.shapes()[nth].pdp_per_row as i64;
    Some(holder.born.pdp().div_euclid(pdp_per_row))
}

/// What a whole copy of a database is refused with whose rows are lost.
pub(super) fn fault_of(cell: &Cell, lost: LostRows) -> Error {
    let (file, offset_bytes) = place_of(cell.id, lost.from);
    let what = "rows that stood there are lost: the page was damaged".into();
    Error::Damaged { file, offset_bytes, what }
}

fn place_of(group: u32, from: LostFrom) -> (String, u64) {
    match from {
        LostFrom::Tiles { page } => {
            (FileKind::Tiles.name(group), page.saturating_mul(PAGE_BYTES as u64))
        }
        LostFrom::Attic { epoch, page } => {
            (FileKind::Attic(epoch).name(group), u64::from(page) * PAGE_BYTES as u64)
        }
    }
}

/// The marks of rows that are still shown, put together by the page where the rows stood.
fn losses_of(group: &Group, marks: &[AtticEntry]) -> Vec<Loss> {
    let mut losses: BTreeMap<(LostFrom, Option<(u16, i64)>), Loss> = BTreeMap::new();
    for mark in marks.iter().filter(|mark| is_needed(group, mark)) {
        let Some(LostRows { from, .. }) = mark.lost else { continue };
        let nth = usize::from(mark.shape);
        let block = group.geometry.shapes()[nth].block_of(mark.first_row, group.phase_pdps);
        let (of_block, rows) = match from {
            LostFrom::Tiles { .. } => {
                let rows = mark.rows(group.geometry.sources());
                (Some((mark.shape, block)), Some((nth, rows)))
            }
            LostFrom::Attic { .. } => (None, None),
        };
        let new = || Loss { from, rows: rows.clone(), members: BTreeSet::new() };
        let loss = losses.entry((from, of_block)).or_insert_with(new);
        if let (Some((_, known)), Some((_, more))) = (&mut loss.rows, &rows) {
            *known = known.start.min(more.start)..known.end.max(more.end);
        }
        loss.members.insert(mark.member);
    }
    losses.into_values().collect()
}

/// When the first and the last of some rows end, in seconds since 1970.
pub(super) struct Ends {
    pub(super) first: InSeconds,
    pub(super) last: InSeconds,
}

impl Ends {
    fn none(group: &Group) -> Self {
        let never = group.geometry.tick().told(0);
        Self { first: never, last: never }
    }
}

/// When some rows end.
pub(super) fn ends_of(group: &Group, nth: usize, rows: &Range<i64>) -> Option<Ends> {
    let pdp_per_row = group.geometry.shapes()[nth].pdp_per_row;
    let row_ticks = pdp_per_row.checked_mul(group.geometry.step_seconds())? as i64;
    let end = |row: i64| Some(group.geometry.tick().told(row.checked_mul(row_ticks)?));
    Some(Ends { first: end(rows.start)?, last: end(rows.end - 1)? })
}
