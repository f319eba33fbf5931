//! Rows of a new archive, second by second from the first supply that knows.

use super::super::spread;
use super::gaps::Gaps;
use super::supply::Supply;
use crate::{ConsolidationFunction as Cf, Snapshot, UNKNOWN};

/// Fills the column of a source in an archive.
pub(super) fn fill(new: &mut Snapshot, archive: usize, source: usize, supplies: &[Supply<'_>]) {
    let grid = super::grid(new, archive);
    let (cf, xff) = (new.definition.archives[archive].cf, new.definition.archives[archive].xff);
    let needed_seconds = (xff * grid.row_seconds as f64) as i64;
    let sources = new.definition.sources.len();
    for (nth, row) in new.rows[archive].chunks_exact_mut(sources).enumerate() {
        let mut filling = Filling::new(cf, grid.span(nth));
        for supply in supplies {
            filling.draw(supply);
        }
        if filling.covered_seconds > needed_seconds {
            row[source] = filling.value();
        }
    }
}

/// The same in an archive whose rows follow from single PDPs alone.
pub(super) fn fill_spread(
    new: &mut Snapshot,
    archive: usize,
    source: usize,
    supplies: &[Supply<'_>],
) {
    let grid = super::grid(new, archive);
    let step_seconds = new.definition.step_seconds;
    let sources = new.definition.sources.len();
    let own = &new.definition.archives[archive];
    for (nth, row) in new.rows[archive].chunks_exact_mut(sources).enumerate() {
        let (_, end_seconds) = grid.span(nth);
        let told = supplies.iter().filter(|it| it.is_of_step(step_seconds));
        let mut told = told.map(|it| spread::row(own, step_seconds, end_seconds, it.column()));
        row[source] = told.find(|value| !value.is_nan()).unwrap_or(UNKNOWN);
    }
}

/// One value that is put together from rows.
struct Filling {
    cf: Cf,
    start_seconds: i64,
    end_seconds: i64,
    row_seconds: i64,
    gaps: Gaps,
    covered_seconds: i64,
    so_far: f64,
}

impl Filling {
    fn new(cf: Cf, (start_seconds, end_seconds): (i64, i64)) -> Self {
        Self {
            cf,
            start_seconds,
            end_seconds,
            row_seconds: end_seconds - start_seconds + 1,
            gaps: Gaps::new(start_seconds, end_seconds),
            covered_seconds: 0,
            so_far: UNKNOWN,
        }
    }

    fn is_full(&self) -> bool {
        self.covered_seconds >= self.row_seconds
    }

    /// Takes what a supply knows of the seconds that nobody knew so far.
    fn draw(&mut self, supply: &Supply<'_>) {
        let Supply { database, archive, source } = *supply;
        let grid = super::grid(database, archive);
        let sources = database.definition.sources.len();
        let (Some(first), Some(last)) =
            (grid.row_at(self.start_seconds), grid.row_at(self.end_seconds))
        else {
            return; // rrdtool uses a ring only where it spans the row
        };
        // As with rrdtool's, a ring that is needed whole counts as none.
        let count = (last + 1 - first) % grid.rows;
        for row in first..first + count {
            if self.is_full() {
                return;
            }
            let value = database.rows[archive][row * sources + source];
            if !value.is_nan() {
                let (start_seconds, end_seconds) = grid.span(row);
                let new_seconds = self.gaps.cover(start_seconds, end_seconds);
                self.add(value, new_seconds);
            }
        }
    }

    fn add(&mut self, value: f64, new_seconds: i64) {
        if new_seconds == 0 {
            return;
        }
        self.covered_seconds += new_seconds;
        let so_far = self.so_far;
        self.so_far = match self.cf {
            Cf::Min if so_far < value => so_far,
            Cf::Max if so_far > value => so_far,
            Cf::Min | Cf::Max | Cf::Last => value,
            _ => {
                let so_far = if so_far.is_nan() { 0.0 } else { so_far };
                so_far + value / self.row_seconds as f64 * new_seconds as f64
            }
        };
    }

    fn value(&self) -> f64 {
        match self.cf {
            Cf::Average if self.covered_seconds > 0 => {
                self.so_far / self.covered_seconds as f64 * self.row_seconds as f64
            }
            _ => self.so_far,
        }
    }
}
