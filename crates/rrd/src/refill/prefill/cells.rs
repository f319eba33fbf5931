//! The rows in the making of a new database.

use super::super::cell::{self, Cell};
use super::super::spread;
use super::PdpRows;
use super::supply::{Supplies, Supply};
use crate::update::take_pdp;
use crate::{Archive, Snapshot, UNKNOWN};

/// Begins the row in the making of every archive.
pub(super) fn begin(new: &mut Snapshot, supplies: &Supplies<'_>, pdps: &PdpRows) {
    let mut cells = Vec::with_capacity(new.live.cells.len());
    for archive in 0..new.definition.archives.len() {
        for source in 0..new.definition.sources.len() {
            let found = supplies.for_cells(&new.definition, archive, source);
            let same_row = |supply: &&Supply<'_>| is_in_the_same_row(supply, new, archive);
            cells.push(match found.iter().find(same_row) {
                Some(Supply { database, archive, source }) => {
                    let sources = database.definition.sources.len();
                    Cell::of(&database.live, sources, *archive, *source)
                }
                None if new.definition.archives[archive].cf.is_spread() => {
                    spread_cell(new, supplies, archive, source)
                }
                None => from_pdps(new, archive, source, pdps),
            });
        }
    }
    cell::put(&cells, &new.definition, &mut new.live);
}

/// The cell of an archive whose rows follow from single PDPs alone, where a database tells them.
fn spread_cell(new: &Snapshot, supplies: &Supplies<'_>, archive: usize, source: usize) -> Cell {
    let (sources, step_seconds) = (new.definition.sources.len(), new.definition.step_seconds);
    let own = &new.definition.archives[archive];
    let newest = new.rows[archive].rchunks_exact(sources).next();
    let newest = newest.map_or(UNKNOWN, |row| row[source]);
    let supplies = supplies.for_rows(&new.definition, archive, source);
    let is_at_hand = |supply: &&Supply<'_>| {
        supply.archive().pdp_per_row == 1
            && supply.is_of_step(step_seconds)
            && supply.database.live.last_update == new.live.last_update
    };
    let told = supplies.iter().filter(is_at_hand);
    let mut told = told.filter_map(|it| spread::cell(own, step_seconds, newest, it.column()));
    told.next().unwrap_or_else(|| {
        let into_row_seconds =
            new.live.last_update.seconds.rem_euclid(own.row_seconds(step_seconds) as i64);
        Cell::new(own, into_row_seconds as u64 / step_seconds)
    })
}

/// Whether both are in the same step, of a row of the same time.
fn is_in_the_same_row(supply: &Supply<'_>, new: &Snapshot, archive: usize) -> bool {
    let step_seconds = new.definition.step_seconds;
    let row_start = |snapshot: &Snapshot, archive: &Archive| {
        let row_seconds = archive.row_seconds(snapshot.definition.step_seconds) as i64;
        snapshot.live.last_update.seconds.div_euclid(row_seconds)
    };
    let step =
        |snapshot: &Snapshot| snapshot.live.last_update.seconds.div_euclid(step_seconds as i64);
    supply.database.definition.step_seconds == step_seconds
        && row_start(supply.database, supply.archive())
            == row_start(new, &new.definition.archives[archive])
        && step(supply.database) == step(new)
}

/// Consolidates the PDPs of the row before the one in the making, and of that one.
fn from_pdps(new: &Snapshot, archive: usize, source: usize, pdps: &PdpRows) -> Cell {
    let archive = &new.definition.archives[archive];
    let sources = new.definition.sources.len();
    let mut cell = Cell::new(archive, 0);
    let step_seconds = new.definition.step_seconds as i64;
    let row_seconds = archive.pdp_per_row as i64 * step_seconds;
    let last_seconds = new.live.last_update.seconds;
    let begin_seconds = last_seconds.div_euclid(row_seconds) * row_seconds + 1;
    let pdp = |row: usize| pdps.ring[row * sources + source];
    if archive.pdp_per_row == 1 {
        if let Some(row) = pdps.grid.row_at(begin_seconds - step_seconds) {
            cell.state.primary = pdp(row);
        }
        return cell;
    }
    let mut seconds = begin_seconds - row_seconds;
    while seconds < begin_seconds + row_seconds - 1 && seconds < last_seconds {
        if let Some(row) = pdps.grid.row_at(seconds) {
            let to_come =
                archive.pdp_per_row as i64 - seconds.rem_euclid(row_seconds) / step_seconds;
            take_pdp(&mut cell.state, archive, pdp(row), to_come == 1);
        }
        seconds += step_seconds;
    }
    cell
}
