//! The cells of all archives with what forecasting keeps beside them.

use crate::forecast::{ForecastWords, Violations};
use crate::live::CellState;
use crate::{ConsolidationFunction, Definition, Parameters, RowSoFar};

/// One cell.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The archive's position in the definition.
    pub(super) archive: usize,
    /// The source's position in the definition.
    pub(super) source: usize,
}

/// The cells of all archives: forecasting archives read each other's.
pub(super) struct Cells<'a> {
    pub(super) definition: &'a Definition,
    pub(super) cells: &'a mut [CellState],
    pub(super) words: &'a mut [ForecastWords],
    pub(super) rows_so_far: &'a mut [RowSoFar],
}

impl Cells<'_> {
    fn index(&self, place: Place) -> usize {
        place.archive * self.definition.sources.len() + place.source
    }

    pub(super) fn cell(&mut self, place: Place) -> &mut CellState {
        let index = self.index(place);
        &mut self.cells[index]
    }

    /// A cell of STDEV or PERCENTILE.
    pub(super) fn spread(&mut self, place: Place) -> (&mut CellState, &mut RowSoFar) {
        let index = self.index(place);
        (&mut self.cells[index], &mut self.rows_so_far[index])
    }

    pub(super) fn words(&mut self, place: Place) -> &mut ForecastWords {
        let index = self.index(place);
        &mut self.words[index]
    }

    pub(super) fn value(&self, place: Place, word: usize) -> f64 {
        self.words[self.index(place)].value(word)
    }

    pub(super) fn violations(&self, place: Place) -> Violations {
        let index = self.index(place);
        Violations::of(&self.cells[index], &self.words[index])
    }

    pub(super) fn put_violations(&mut self, place: Place, violations: &Violations) {
        let index = self.index(place);
        violations.put(&mut self.cells[index], &mut self.words[index]);
    }

    pub(super) fn cf(&self, archive: usize) -> ConsolidationFunction {
        self.definition.archives[archive].cf
    }

    pub(super) fn parameters(&self, archive: usize) -> &Parameters {
        &self.definition.archives[archive].parameters
    }

    /// The archive that an archive refers to.
    pub(super) fn reference(&self, archive: usize) -> usize {
        self.parameters(archive).reference() as usize
    }

    /// The coefficient or deviation of `archive` that belongs to the value being taken into
    /// `place`: archives are updated in their order, and one that comes before has moved on to its
    /// next one already.
    pub(super) fn season_of(&self, archive: usize, place: Place, moved_on: bool) -> f64 {
        let word = if moved_on { ForecastWords::LAST_INTERCEPT } else { ForecastWords::INTERCEPT };
        self.value(Place { archive, ..place }, word)
    }

    /// What `archive` forecast for the value being taken into `place`.
    pub(super) fn line_of(&self, archive: usize, place: Place, moved_on: bool) -> Line {
        let words = &self.words[self.index(Place { archive, ..place })];
        let line = |intercept, slope, count| Line {
            intercept: words.value(intercept),
            slope: words.value(slope),
            count: words.0[count],
        };
        if moved_on {
            use ForecastWords as W;
            line(W::LAST_INTERCEPT, W::LAST_SLOPE, W::LAST_COUNT)
        } else {
            use ForecastWords as W;
            line(W::INTERCEPT, W::SLOPE, W::COUNT)
        }
    }
}

/// The straight line of a forecast.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) intercept: f64,
    pub(super) slope: f64,
    /// How many values ago the intercept was.
    pub(super) count: u64,
}

impl Line {
    pub(super) fn is_unknown(&self) -> bool {
        self.intercept.is_nan() || self.slope.is_nan()
    }
}
