//! The live state of forecasting archives (HWPREDICT, SEASONAL, ... FAILURES).

use crate::cell::CellState;
use crate::{Archive, ConsolidationFunction, Definition, MAX_FAILURE_WINDOW, UNKNOWN};

/// What forecasting archives have beside their cells; empty where a definition has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForecastState {
    /// One for each cell of the live state, plain archives included.
    pub words: Vec<ForecastWords>,
    /// The rings of SEASONAL and DEVSEASONAL, in the order of the definition. They are also rows
    /// of the database: a state that no sample is to be taken into may leave them out.
    pub rings: Vec<SeasonalRing>,
}

/// The words 2 to 7 of a cell's field in a file.
///
/// ```text
///   word     HWPREDICT, MHWPREDICT        SEASONAL, DEVSEASONAL     FAILURES
///   0 1      intercept, the last one      coefficient or            violations, one byte each,
///                                         deviation, the last one   from the cell's value on
///   2 3      slope, the last one
///   4 5      values since the last        seasons seen (first
///            known one, the last count    source only)
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForecastWords(pub [u64; 6]);

/// The rows of a SEASONAL or DEVSEASONAL archive.
#[derive(Clone, Debug, PartialEq)]
pub struct SeasonalRing {
    /// The archive's position in the definition.
    pub archive: usize,
    /// The slot written last.
    pub newest_slot: u64,
    /// The values in the order of slots, row by row.
    pub values: Vec<f64>,
}

impl ForecastState {
    /// The state of a new database, its rings left out.
    #[must_use]
    pub fn fresh(definition: &Definition) -> Self {
        let mut words = Vec::new();
        if definition.has_forecasts() {
            for archive in &definition.archives {
                let word = ForecastWords::fresh(archive);
                words.extend(std::iter::repeat_n(word, definition.sources.len()));
            }
        }
        Self { words, rings: Vec::new() }
    }
}

impl ForecastWords {
    /// The intercept of a forecast; the coefficient or deviation of a season.
    pub const INTERCEPT: usize = 0;
    /// What [`Self::INTERCEPT`] was one value before.
    pub const LAST_INTERCEPT: usize = 1;
    /// The slope of a forecast.
    pub const SLOPE: usize = 2;
    /// What [`Self::SLOPE`] was one value before.
    pub const LAST_SLOPE: usize = 3;
    /// How many values ago the last known one was; seasons seen, counted up to the first four.
    pub const COUNT: usize = 4;
    /// What [`Self::COUNT`] was one value before.
    pub const LAST_COUNT: usize = 5;

    /// A word that is a value.
    #[must_use]
    pub const fn value(&self, word: usize) -> f64 {
        f64::from_bits(self.0[word])
    }

    /// Changes a word that is a value.
    pub const fn set_value(&mut self, word: usize, value: f64) {
        self.0[word] = value.to_bits();
    }

    /// Of a new archive.
    pub(crate) fn fresh(archive: &Archive) -> Self {
        let unknown = UNKNOWN.to_bits();
        match archive.cf {
            ConsolidationFunction::HwPredict | ConsolidationFunction::MhwPredict => {
                Self([unknown, unknown, unknown, unknown, 1, 1])
            }
            ConsolidationFunction::Seasonal | ConsolidationFunction::DevSeasonal => {
                Self([unknown, unknown, 0, 0, 1, 0])
            }
            _ => Self::default(),
        }
    }
}

/// Bytes of the words that [`Violations`] reach into.
const VIOLATION_BYTES: usize = 32;

/// Which of the last values of a FAILURES archive were violations, the newest first: bytes that lie
/// over a cell's value, its unknown PDPs and the words 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violations([u8; VIOLATION_BYTES]);

const _: () = assert!(MAX_FAILURE_WINDOW as usize <= VIOLATION_BYTES);

impl Violations {
    /// Those that a cell keeps.
    #[must_use]
    pub fn of(cell: &CellState, words: &ForecastWords) -> Self {
        let fields = [cell.value.to_bits(), cell.unknown_pdps, words.0[0], words.0[1]];
        let mut bytes = [0; VIOLATION_BYTES];
        for (field, bytes) in fields.iter().zip(bytes.as_chunks_mut().0) {
            *bytes = field.to_le_bytes();
        }
        Self(bytes)
    }

    /// Puts them where a cell keeps them.
    pub fn put(&self, cell: &mut CellState, words: &mut ForecastWords) {
        let field = |nth| u64::from_le_bytes(self.0.as_chunks().0[nth]);
        cell.value = f64::from_bits(field(0));
        cell.unknown_pdps = field(1);
        (words.0[0], words.0[1]) = (field(2), field(3));
    }

    /// The newest `window` of them, each 1 or 0.
    ///
    /// # Panics
    /// If the window is longer than [`MAX_FAILURE_WINDOW`].
    #[must_use]
    pub fn window(&self, window: u64) -> &[u8] {
        &self.0[..window as usize]
    }

    /// The newest `window` of them, to be changed.
    ///
    /// # Panics
    /// If the window is longer than [`MAX_FAILURE_WINDOW`].
    pub fn window_mut(&mut self, window: u64) -> &mut [u8] {
        &mut self.0[..window as usize]
    }
}
