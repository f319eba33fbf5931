//! The live state of forecasting archives (HWPREDICT, SEASONAL, ... FAILURES).

use crate::{Archive, ConsolidationFunction, Definition, UNKNOWN};

/// What forecasting archives have beside their cells; empty where a definition has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForecastState {
    /// One for each cell of the live state, plain archives included.
    pub words: Vec<ForecastWords>,
    /// The rings of SEASONAL and DEVSEASONAL, in the order of the definition. They are also rows
    /// of the database: a state that no sample is to be taken into may leave them out.
    pub rings: Vec<SeasonalRing>,
}

/// The words 2 to 7 of a cell's field in a file. What they mean depends on the archive: intercept,
/// slope and counts of a forecast, coefficients of a season; FAILURES keeps its window as bytes
/// from the cell's value on.
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
    fn fresh(archive: &Archive) -> Self {
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
