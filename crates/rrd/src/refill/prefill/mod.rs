//! The past of a new database, from databases that have one.

mod supply;
mod sort;
mod gaps;
mod rows;
mod cells;

use std::borrow::Cow;

use super::grid::Grid;
use crate::spec::Origin;
use crate::{Archive, ConsolidationFunction as Cf, NoRoom, NoWholeTicks, Room, Snapshot, Tick};
use supply::{Supplies, Supply};

/// What rows of a new database may be taken from.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The databases, in the order in which they are asked.
    pub databases: &'a [Snapshot],
    /// For each source of the new database, where its past comes from.
    pub origins: &'a [Origin],
}

/// Why rows cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum PastError {
    /// They do not fit in memory.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The database that has them counts time otherwise.
    #[error("cannot take rows over: {0}")]
    Ticks(#[from] NoWholeTicks),
}

/// The known share that makes a row of PDPs that is filled only to count them.
const PDP_XFF: f64 = 0.5;

/// Fills the rows of a new database and begins the rows in the making. It has seen no update so
/// far; its last update says where its rows lie in time.
///
/// # Errors
/// [`PastError`]: there is no memory for the PDPs of the longest row, or the times of a database are
/// no whole ticks of the new one.
///
/// # Panics
/// If there is not one origin for each source.
pub fn prefill(new: &mut Snapshot, past: &Past<'_>, room: &mut Room) -> Result<(), PastError> {
    let databases = in_tick(past.databases, new.definition.tick)?;
    Ok(fill(new, &Past { databases: &databases, ..*past }, room)?)
}

/// Databases with their times in a tick.
fn in_tick(databases: &[Snapshot], tick: Tick) -> Result<Cow<'_, [Snapshot]>, NoWholeTicks> {
    if databases.iter().all(|it| it.definition.tick == tick) {
        return Ok(databases.into());
    }
    let recounted = databases.iter().map(|it| it.clone().in_tick(tick));
    Ok(recounted.collect::<Result<Vec<_>, _>>()?.into())
}

fn fill(new: &mut Snapshot, past: &Past<'_>, room: &mut Room) -> Result<(), NoRoom> {
    assert_eq!(past.origins.len(), new.definition.sources.len());
    let pdps = pdp_archive(&new.definition.archives);
    if let Pdps::Extra(archive) = &pdps {
        new.rows.push(room.unknown_rows(archive.rows, new.definition.sources.len())?);
        new.definition.archives.push(archive.clone());
    }
    let supplies = Supplies { past, step_seconds: new.definition.step_seconds };
    for archive in 0..new.definition.archives.len() {
        for source in 0..new.definition.sources.len() {
            let found = supplies.for_rows(&new.definition, archive, source);
            if !found.is_empty() {
                match new.definition.archives[archive].cf.is_spread() {
                    true => rows::fill_spread(new, archive, source, &found),
                    false => rows::fill(new, archive, source, &found),
                }
                take_over_pdp(new, source, &found);
            }
        }
    }
    let pdp_rows = match pdps {
        Pdps::Own(archive) => PdpRows { grid: grid(new, archive), ring: new.rows[archive].clone() },
        Pdps::Extra(_) => {
            let last = new.definition.archives.len() - 1;
            let grid = grid(new, last);
            new.definition.archives.pop();
            PdpRows { grid, ring: new.rows.pop().unwrap_or_default() }
        }
    };
    cells::begin(new, &supplies, &pdp_rows);
    Ok(())
}

/// The PDPs of the new database, as far as they are known.
struct PdpRows {
    grid: Grid,
    ring: Vec<f64>,
}

fn grid(snapshot: &Snapshot, archive: usize) -> Grid {
    Grid::of(&snapshot.definition, &snapshot.live, archive)
}

/// Where the PDPs of the latest rows of every archive are told.
enum Pdps {
    /// In this archive.
    Own(usize),
    /// In one that is made for the purpose.
    Extra(Archive),
}

fn pdp_archive(archives: &[Archive]) -> Pdps {
    let longest_row = archives.iter().map(|archive| archive.pdp_per_row).max().unwrap_or(1);
    let rows_needed = longest_row.saturating_mul(2);
    let of_pdps = |archive: &Archive| (archive.cf, archive.pdp_per_row) == (Cf::Average, 1);
    let mut longest: Option<usize> = None;
    for (nth, archive) in archives.iter().enumerate().filter(|(_, archive)| of_pdps(archive)) {
        if longest.is_none_or(|longest| archives[longest].rows < archive.rows) {
            longest = Some(nth);
        }
    }
    match longest.filter(|nth| archives[*nth].rows >= rows_needed) {
        Some(nth) => Pdps::Own(nth),
        None => Pdps::Extra(Archive::plain(Cf::Average, rows_needed, 1, PDP_XFF)),
    }
}

/// Takes over the PDP in the making from the first database that is in the same step.
fn take_over_pdp(new: &mut Snapshot, source: usize, supplies: &[Supply<'_>]) {
    if new.live.sources[source].last_reading.text()[..] != *b"U" {
        return; // it has one
    }
    let step_end = |snapshot: &Snapshot| {
        let step_seconds = snapshot.definition.step_seconds as i64;
        let steps = snapshot.live.last_update.seconds.div_euclid(step_seconds);
        // A damaged file may speak of any time.
        steps.saturating_add(1).saturating_mul(step_seconds)
    };
    let end_seconds = step_end(new);
    let begin_seconds = end_seconds.saturating_sub(new.definition.step_seconds as i64 - 1);
    let fits = |supply: &&Supply<'_>| {
        let kind = |snapshot: &Snapshot, source: usize| snapshot.definition.sources[source].kind;
        supply.database.live.sources[supply.source].last_reading.text()[..] != *b"U"
            && (begin_seconds..=end_seconds).contains(&step_end(supply.database))
            && kind(supply.database, supply.source) == kind(new, source)
    };
    if let Some(supply) = supplies.iter().find(fits) {
        new.live.sources[source] = supply.database.live.sources[supply.source];
    }
}
