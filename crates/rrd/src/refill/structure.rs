//! A database in another structure.

use std::cmp::Ordering;

use super::cell::{self, Cell};
use super::change::{Change, ChangeError, RowChange};
use super::fill::{NewRows, is_plain};
use super::rebuild::Start;
use super::references;
use super::spread::{self, Column};
use crate::live::{LastReading, LiveState, SourceState};
use crate::number::integer;
use crate::spec::SpecError;
use crate::{Archive, Definition, ForecastWords, NoRoom, Room, RowSoFar, Snapshot, UNKNOWN, spec};

impl Change {
    /// Does it to a database; what it becomes takes of the room.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub fn apply(&self, old: &Snapshot, room: &mut Room) -> Result<Snapshot, ChangeError> {
        match self.step.as_ref().and_then(|text| step_of(text, &old.definition)) {
            None => changed(self, old, room),
            Some(step_seconds) => changed(self, &stepped(old, step_seconds)?, room),
        }
    }
}

/// A new step, in ticks of the database. Nothing that is not above 0 is one.
fn step_of(text: &str, definition: &Definition) -> Option<u64> {
    match definition.tick.is_second() {
        // As C's atoi reads it.
        true => u64::try_from(integer::leading(text, false)?.0).ok().filter(|step| *step > 0),
        // What cannot be read divides nothing.
        false => Some(spec::time(text, definition.tick).unwrap_or(0)),
    }
}

/// The database with a smaller step, which divides the old one. Rows stay, of more PDPs each.
///
/// The rows in the making go on as if their time so far had been counted in old steps, as with
/// rrdtool's.
fn stepped(old: &Snapshot, step_seconds: u64) -> Result<Snapshot, ChangeError> {
    let old_step_seconds = old.definition.step_seconds;
    let divides = step_seconds > 0 && old_step_seconds.is_multiple_of(step_seconds);
    if !divides || step_seconds == old_step_seconds {
        return Err(ChangeError::Step);
    }
    let factor = old_step_seconds / step_seconds;
    let mut new = old.clone();
    new.definition.step_seconds = step_seconds;
    let sources = new.definition.sources.len();
    let cells = new.live.cells.chunks_exact_mut(sources);
    new.live.rows_so_far.iter_mut().for_each(|row| row.multiply(factor));
    for (archive, cells) in new.definition.archives.iter_mut().zip(cells) {
        archive.pdp_per_row *= factor;
        spec::check_spread(archive)?;
        if is_plain(archive.cf) || archive.cf.is_spread() {
            for cell in cells {
                cell.unknown_pdps = cell.unknown_pdps.wrapping_mul(factor);
            }
        }
    }
    Ok(new)
}

/// The database after a change.
fn changed(change: &Change, old: &Snapshot, room: &mut Room) -> Result<Snapshot, ChangeError> {
    let rows = rows_after(change, &old.definition.archives)?;
    let mut work = Work::new(change, old)?;
    let kept: Vec<usize> = (0..rows.len()).filter(|nth| rows[*nth] > 0).collect();
    for &nth in &kept {
        work.keep_archive(nth, rows[nth], room)?;
    }
    for argument in &change.added_archives {
        work.add_archives(argument, room)?;
    }
    work.new.definition.spread_smoothing(&change.name, kept.len());
    work.finish(&kept)
}

/// How many rows each archive has after a change.
fn rows_after(change: &Change, archives: &[Archive]) -> Result<Vec<u64>, ChangeError> {
    let after = archives.iter().enumerate().map(|(nth, archive)| {
        let found = change.rows.iter().find(|(position, _)| *position == nth);
        match found.map(|(_, change)| *change) {
            None => Ok(archive.rows),
            Some(RowChange::To(rows)) => Ok(rows),
            Some(RowChange::Shrink(rows)) => Ok(archive.rows.saturating_sub(rows)),
            Some(RowChange::Grow(rows)) => {
                archive.rows.checked_add(rows).ok_or(ChangeError::TooManyRows(nth))
            }
        }
    });
    after.collect()
}

/// A database that is put together from an old one.
struct Work<'a> {
    old: &'a Snapshot,
    /// For each of its sources the one of the old.
    of_source: Vec<Option<usize>>,
    new: Snapshot,
    cells: Vec<Cell>,
}

impl<'a> Work<'a> {
    /// The new database's sources; it has no archive yet.
    fn new(change: &Change, old: &'a Snapshot) -> Result<Self, ChangeError> {
        let stays = |name: &String| !change.removed_sources.contains(name);
        let sources = old.definition.sources.iter().enumerate();
        let kept: Vec<usize> =
            sources.filter(|(_, source)| stays(&source.name)).map(|(nth, _)| nth).collect();
        let mut builder = spec::Builder::of(Definition {
            tick: old.definition.tick,
            step_seconds: old.definition.step_seconds,
            sources: kept.iter().map(|nth| old.definition.sources[*nth].clone()).collect(),
            archives: Vec::new(),
        });
        for argument in &change.added_sources {
            builder.append(argument)?;
        }
        let definition = builder.definition;
        if definition.sources.is_empty() {
            return Err(SpecError::NoSource.into());
        }
        let mut of_source: Vec<Option<usize>> = kept.into_iter().map(Some).collect();
        of_source.resize(definition.sources.len(), None);
        let last_update = old.live.last_update;
        let mut live = LiveState::fresh(&definition, last_update);
        for (state, kept) in live.sources.iter_mut().zip(&of_source) {
            *state = match kept {
                Some(kept) => old.live.sources[*kept],
                None => new_source(&definition, last_update.seconds),
            };
        }
        Ok(Self {
            old,
            of_source,
            new: Snapshot { definition, live, rows: Vec::new() },
            cells: Vec::new(),
        })
    }

    fn keep_archive(&mut self, nth: usize, rows: u64, room: &mut Room) -> Result<(), NoRoom> {
        let old_archive = &self.old.definition.archives[nth];
        let mut archive = old_archive.clone();
        archive.rows = rows;
        let old_sources = self.old.definition.sources.len();
        for (place, kept) in self.of_source.iter().enumerate() {
            self.cells.push(match kept {
                Some(source) => Cell::of(&self.old.live, old_sources, nth, *source),
                None => self.new_cell(&archive, place),
            });
        }
        let ring = self.resized(nth, &archive, room)?;
        self.new.definition.archives.push(archive);
        self.new.rows.push(ring);
        Ok(())
    }

    /// The rows of an archive that stays: the newest of the old, or all and filled ones before.
    fn resized(&self, nth: usize, archive: &Archive, room: &mut Room) -> Result<Vec<f64>, NoRoom> {
        let sources = self.of_source.len();
        let old_rows = self.old.definition.archives[nth].rows;
        let come = archive.rows.saturating_sub(old_rows) as usize;
        let mut ring = room.unknown_rows(archive.rows, sources)?;
        if archive.rows.cmp(&old_rows) == Ordering::Greater {
            self.new_rows(archive).fill(self.old, &mut ring, come);
        }
        let gone = old_rows.saturating_sub(archive.rows) as usize;
        let old_ring = self.old.rows[nth].chunks_exact(self.old.definition.sources.len());
        for (row, old_row) in ring.chunks_exact_mut(sources).skip(come).zip(old_ring.skip(gone)) {
            for (value, kept) in row.iter_mut().zip(&self.of_source) {
                *value = kept.map_or(UNKNOWN, |source| old_row[source]);
            }
        }
        Ok(ring)
    }

    /// Adds the archive of a word, and those that come with it.
    fn add_archives(&mut self, argument: &str, room: &mut Room) -> Result<(), ChangeError> {
        let first = self.new.definition.archives.len();
        let text = argument.strip_prefix("RRA:").unwrap_or(argument);
        spec::append_archives(&mut self.new.definition, text)?;
        for nth in first..self.new.definition.archives.len() {
            let archive = &self.new.definition.archives[nth];
            let mut ring = room.unknown_rows(archive.rows, self.of_source.len())?;
            self.new_rows(archive).fill(self.old, &mut ring, archive.rows as usize);
            self.new.rows.push(ring);
            let cells = self.starting_cells(nth);
            self.cells.extend(cells);
        }
        Ok(())
    }

    /// The cells of an archive that comes. One that forecasts starts as in a new database; rrdtool
    /// makes its coefficients 0, which counts as known.
    fn starting_cells(&self, nth: usize) -> Vec<Cell> {
        let archive = &self.new.definition.archives[nth];
        if archive.cf.is_spread() {
            return self.starting_spread(nth);
        }
        let start = Start::find(self.old, archive).filter(|_| is_plain(archive.cf));
        let cells = self.of_source.iter().enumerate().map(|(place, kept)| match (&start, kept) {
            (Some(start), Some(source)) => {
                let state = start.cell(*source, self.primary(nth, place));
                Cell { state, words: ForecastWords::default(), row: RowSoFar::InCell }
            }
            _ => self.new_cell(archive, place),
        });
        cells.collect()
    }

    /// The same of one whose rows follow from single PDPs.
    fn starting_spread(&self, nth: usize) -> Vec<Cell> {
        let archive = &self.new.definition.archives[nth];
        let step_seconds = self.new.definition.step_seconds;
        let newest = self.new.rows[nth].rchunks_exact(self.of_source.len()).next();
        let cells = self.of_source.iter().enumerate().map(|(place, kept)| {
            let from = kept.and_then(|kept| Column::of_pdps(self.old, kept, step_seconds));
            let newest = newest.map_or(UNKNOWN, |row| row[place]);
            let cell = from.and_then(|from| spread::cell(archive, step_seconds, newest, from));
            cell.unwrap_or_else(|| self.new_cell(archive, place))
        });
        cells.collect()
    }

    /// What rrdtool takes for the newest row of an archive that comes: it counts the values before
    /// that archive as if each row had one.
    fn primary(&self, nth: usize, source: usize) -> f64 {
        let (before, newest) = self.new.definition.archives.split_at(nth);
        let rows_before: u64 = before.iter().map(|archive| archive.rows).sum();
        let mut position =
            rows_before as usize + self.of_source.len() * (newest[0].rows as usize - 1) + source;
        for ring in &self.new.rows {
            match ring.get(position) {
                Some(value) => return *value,
                None => position -= ring.len(),
            }
        }
        UNKNOWN
    }

    fn new_rows<'b>(&'b self, archive: &'b Archive) -> NewRows<'b> {
        let step_seconds = self.new.definition.step_seconds;
        NewRows { archive, step_seconds, of_source: &self.of_source }
    }

    /// The cell of a source that comes.
    fn new_cell(&self, archive: &Archive, place: usize) -> Cell {
        let live = &self.new.live;
        let unknown_seconds = live.sources[place].unknown_seconds;
        let step_seconds = self.new.definition.step_seconds;
        // In rrdtool's arithmetic, which knows no negative numbers here.
        let known_until = (live.last_update.seconds as u64).wrapping_sub(unknown_seconds);
        Cell::new(archive, known_until % archive.row_seconds(step_seconds) / step_seconds)
    }

    /// The whole database; `kept` are the archives of the old one that stayed.
    fn finish(mut self, kept: &[usize]) -> Result<Snapshot, ChangeError> {
        let Snapshot { definition, live, .. } = &mut self.new;
        spec::check_complete(definition)?;
        references::move_sources(&mut definition.sources, &self.of_source)?;
        let old_count = self.old.definition.archives.len();
        references::move_archives(&mut definition.archives, kept, old_count)?;
        cell::put(&self.cells, definition, live);
        Ok(self.new)
    }
}

/// The state of a source that comes.
fn new_source(definition: &Definition, last_update_seconds: i64) -> SourceState {
    let into_step_seconds = last_update_seconds.rem_euclid(definition.step_seconds as i64);
    SourceState {
        last_reading: LastReading::UNKNOWN,
        unknown_seconds: into_step_seconds as u64,
        value: 0.0,
    }
}
