//! Finds primaries and secondaries in the archives' rows.

use rrd::live::CellState;
use rrd::{LiveState, Snapshot, Timestamp, Workspace};

use super::layout::{Class, Secondary};
use super::{Run, State, StateLayout};

impl StateLayout {
    /// Records where primaries and secondaries are stored after an update; `workspace` is that of
    /// the update.
    ///
    /// # Panics
    ///
    /// If the state is of another layout.
    pub fn note_final_rows(&self, state: &mut State, workspace: &Workspace) {
        self.assert_ours(state);
        if self.has_forecasts() || workspace.final_rows().next().is_none() {
            return;
        }
        let State { live, runs, newer_rows } = state;
        newer_rows.clear();
        newer_rows.resize(self.archives(), None);
        for rows in workspace.final_rows() {
            let cells = &live.cells[rows.archive * self.sources()..][..self.sources()];
            let newer = &mut newer_rows[rows.archive];
            // The first rows of the last stretch of an update are the primaries themselves, so
            // every archive with new rows gets a number.
            *newer = if same_bits(rows.values, primaries(cells)) {
                Some(0)
            } else {
                newer.map(|newer| newer + rows.count)
            };
        }
        for (class, run) in self.classes().iter().zip(runs) {
            // Archives with few rows, or with equal rows, give a lower number.
            let most = class.archives.iter().filter_map(|archive| newer_rows[*archive]).max();
            let Some(age) = most else {
                continue;
            };
            let cells = ClassCells::new(class, self, live);
            let row_at = |archive, age| final_row(workspace, archive, age);
            let lone = age == 0 && class.archives.iter().all(|nth| newer_rows[*nth] == Some(0));
            let stand = (lone || self.primaries_stand(&cells, age, row_at))
                && self.secondaries_stand(&cells, live.last_update, row_at);
            *run = if stand { Run::Age(age) } else { Run::Explicit };
        }
    }

    /// Where primaries and secondaries are stored in the rows of a whole RRD.
    ///
    /// # Panics
    ///
    /// If the snapshot is of another layout.
    #[must_use]
    pub fn runs_of(&self, snapshot: &Snapshot) -> Vec<Run> {
        let row_at =
            |archive: usize, age: u64| row_of(&snapshot.rows[archive], self.sources(), age);
        let run_of = |class| {
            if self.has_forecasts() {
                return Run::Explicit;
            }
            let cells = ClassCells::new(class, self, &snapshot.live);
            if cells.never_had_rows() {
                return Run::Never;
            }
            if !self.secondaries_stand(&cells, snapshot.live.last_update, row_at) {
                return Run::Explicit;
            }
            let age = (0..=class.age_max).find(|age| self.primaries_stand(&cells, *age, row_at));
            age.map_or(Run::Explicit, Run::Age)
        };
        self.classes().iter().map(run_of).collect()
    }

    /// Fills in the primaries and secondaries that are stored in rows; the state is then complete.
    ///
    /// `row_at` returns the row of an archive that is this many rows older than its newest.
    ///
    /// # Errors
    ///
    /// Those of `row_at`.
    ///
    /// # Panics
    ///
    /// If the state is of another layout.
    pub fn complete<E>(
        &self,
        state: &mut State,
        mut row_at: impl FnMut(usize, u64, &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.assert_ours(state);
        let sources = self.sources();
        let mut row = vec![0.0; sources];
        for (class, run) in self.classes().iter().zip(&state.runs) {
            let Run::Age(age) = *run else {
                if *run == Run::Never {
                    class.forget_rows(&mut state.live.cells, sources);
                }
                continue;
            };
            for archive in &class.archives {
                row_at(*archive, self.age_in(*archive, age), &mut row)?;
                let cells = &mut state.live.cells[archive * sources..][..sources];
                cells.iter_mut().zip(&row).for_each(|(cell, value)| cell.primary = *value);
            }
            let Secondary::InRowsOf(finest) = class.secondary else {
                continue;
            };
            row_at(finest, self.pdps_since_row(class, state.live.last_update), &mut row)?;
            for archive in &class.archives {
                let cells = &mut state.live.cells[archive * sources..][..sources];
                cells.iter_mut().zip(&row).for_each(|(cell, value)| cell.secondary = *value);
            }
        }
        Ok(())
    }

    /// Whether the primaries of every archive of a class equal its row of this age.
    fn primaries_stand<'r>(
        &self,
        cells: &ClassCells<'_>,
        age: u64,
        row_at: impl Fn(usize, u64) -> Option<&'r [f64]>,
    ) -> bool {
        cells.class.archives.iter().zip(cells.rows()).all(|(archive, cells)| {
            row_at(*archive, self.age_in(*archive, age))
                .is_some_and(|row| same_bits(row, primaries(cells)))
        })
    }

    /// Whether the secondaries of every archive of a class equal the PDP that completed its newest
    /// row. True if secondaries are encoded.
    fn secondaries_stand<'r>(
        &self,
        cells: &ClassCells<'_>,
        last_update: Timestamp,
        row_at: impl Fn(usize, u64) -> Option<&'r [f64]>,
    ) -> bool {
        let Secondary::InRowsOf(finest) = cells.class.secondary else {
            return true;
        };
        let row = row_at(finest, self.pdps_since_row(cells.class, last_update));
        row.is_some_and(|row| cells.rows().all(|cells| same_bits(row, secondaries(cells))))
    }

    /// How many PDPs are newer than the one that completed the newest row of a class.
    fn pdps_since_row(&self, class: &Class, last_update: Timestamp) -> u64 {
        last_update.seconds.cast_unsigned() / self.step_seconds() % class.pdp_per_row
    }
}

/// The cells of the archives of one class.
pub(super) struct ClassCells<'a> {
    pub(super) class: &'a Class,
    /// The cells of all archives.
    cells: &'a [CellState],
    sources: usize,
}

impl<'a> ClassCells<'a> {
    pub(super) fn new(class: &'a Class, layout: &StateLayout, live: &'a LiveState) -> Self {
        Self { class, cells: &live.cells, sources: layout.sources() }
    }

    /// The cells of each archive of the class.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a [CellState]> {
        let Self { class, cells, sources } = *self;
        class.archives.iter().map(move |archive| &cells[archive * sources..][..sources])
    }

    /// Whether primaries and not encoded secondaries are those of a class without a final row.
    pub(super) fn never_had_rows(&self) -> bool {
        let kept = self.class.secondary == Secondary::Kept;
        self.rows()
            .flatten()
            .all(|cell| cell.primary.to_bits() == 0 && (kept || cell.secondary.to_bits() == 0))
    }
}

impl Class {
    /// Resets the cells to a class without a final row. Encoded secondaries are those of the packed
    /// state.
    fn forget_rows(&self, cells: &mut [CellState], sources: usize) {
        for archive in &self.archives {
            for cell in &mut cells[archive * sources..][..sources] {
                cell.primary = 0.0;
                if self.secondary != Secondary::Kept {
                    cell.secondary = 0.0;
                }
            }
        }
    }
}

/// The row of an archive that is this many rows older than its newest, if the update made it.
fn final_row(workspace: &Workspace, archive: usize, age: u64) -> Option<&[f64]> {
    let rows = || workspace.final_rows().filter(move |rows| rows.archive == archive);
    let made = rows().map(|rows| rows.count).sum::<u64>();
    let mut from_first = made.checked_sub(1)?.checked_sub(age)?;
    for rows in rows() {
        match from_first.checked_sub(rows.count) {
            None => return Some(rows.values),
            Some(rest) => from_first = rest,
        }
    }
    None
}

/// The row that is this many rows older than the newest, of rows in order from the oldest.
fn row_of(rows: &[f64], sources: usize, age: u64) -> Option<&[f64]> {
    rows.rchunks_exact(sources).nth(usize::try_from(age).ok()?)
}

fn primaries(cells: &[CellState]) -> impl Iterator<Item = f64> {
    cells.iter().map(|cell| cell.primary)
}

fn secondaries(cells: &[CellState]) -> impl Iterator<Item = f64> {
    cells.iter().map(|cell| cell.secondary)
}

fn same_bits(row: &[f64], values: impl Iterator<Item = f64>) -> bool {
    row.iter().zip(values).all(|(one, other)| one.to_bits() == other.to_bits())
}
