//! Single cells of rows, changed where they still hold what they held when the change was planned.

use super::change::ChangeError;
use super::grid::Grid;
use crate::live::empty_cell_value;
use crate::update::{gather, gather_spread};
use crate::{ConsolidationFunction as Cf, Snapshot};

/// Another value for one source in one row of an archive.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CellChange {
    /// The archive's position.
    pub archive: u32,
    /// The source's position.
    pub source: u32,
    /// When the row ends.
    pub row_end_seconds: i64,
    /// What it holds; NaN is unknown.
    pub before: f64,
    /// What it is to hold.
    pub after: f64,
}

/// The database with these cells changed. Rows that have left their ring meanwhile are passed over.
///
/// A row in the making is gathered anew from the PDPs of an archive that keeps them, where one of
/// them was changed.
///
/// # Errors
/// [`ChangeError::NoSuchArchive`], [`ChangeError::NoSuchCell`], [`ChangeError::CellDiffers`].
pub fn change_cells(whole: &Snapshot, changes: &[CellChange]) -> Result<Snapshot, ChangeError> {
    let mut changed = whole.clone();
    let sources = whole.definition.sources.len();
    for change in changes {
        let (archive, source) = (change.archive as usize, change.source as usize);
        if archive >= whole.definition.archives.len() {
            return Err(ChangeError::NoSuchArchive);
        }
        let grid = Grid::of(&whole.definition, &whole.live, archive);
        let row_end_seconds = change.row_end_seconds;
        let no_such = || ChangeError::NoSuchCell { archive, row_end_seconds };
        if source >= sources || !grid.is_end(row_end_seconds) {
            return Err(no_such());
        }
        let Some(row) = grid.row_at(row_end_seconds) else { continue };
        let cell = &mut changed.rows[archive][row * sources + source];
        if !is_same(*cell, change.before) {
            return Err(ChangeError::CellDiffers { archive, row_end_seconds });
        }
        *cell = change.after;
    }
    gather_anew(&mut changed, changes);
    Ok(changed)
}

/// Whether two values are the same to the last bit, or both unknown.
#[must_use]
pub fn is_same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan())
}

/// Gathers the rows in the making that have a changed PDP.
fn gather_anew(whole: &mut Snapshot, changes: &[CellChange]) {
    let archives = &whole.definition.archives;
    let keeps_pdps = |nth: &usize| archives[*nth].pdp_per_row == 1 && is_plain(archives[*nth].cf);
    let Some(pdps) = (0..archives.len()).find(keeps_pdps) else { return };
    let sources = whole.definition.sources.len();
    let pdp_grid = Grid::of(&whole.definition, &whole.live, pdps);
    let mut newest_changed = vec![i64::MIN; sources];
    for change in changes.iter().filter(|change| change.archive as usize == pdps) {
        let newest = &mut newest_changed[change.source as usize];
        *newest = change.row_end_seconds.max(*newest);
    }
    for (nth, archive) in archives.iter().enumerate() {
        if archive.pdp_per_row == 1 || archive.cf.is_forecast() {
            continue;
        }
        let begin_seconds = whole.newest_row_seconds(nth);
        let Some(first_row) = pdp_grid.row_at(begin_seconds + pdp_grid.row_seconds) else {
            continue; // its first PDP was not gathered yet, or has left the ring
        };
        let touched = newest_changed.iter().enumerate();
        for (source, _) in touched.filter(|(_, newest)| **newest > begin_seconds) {
            let position = nth * sources + source;
            let cell = &mut whole.live.cells[position];
            (cell.value, cell.unknown_pdps) = (empty_cell_value(archive.cf), 0);
            let mut spread = whole.live.rows_so_far.get_mut(position);
            spread = spread.filter(|_| archive.cf.is_spread());
            if let Some(so_far) = &mut spread {
                so_far.clear();
            }
            for row in first_row..pdp_grid.rows {
                let pdp = whole.rows[pdps][row * sources + source];
                match &mut spread {
                    Some(so_far) => gather_spread(cell, so_far, pdp, 1),
                    None => gather(cell, archive.cf, pdp, 1),
                }
            }
        }
    }
}

fn is_plain(cf: Cf) -> bool {
    Cf::PLAIN.contains(&cf)
}
