//! What changes with every update: the live state of one round robin database.

use crate::forecast::ForecastState;
use crate::{ConsolidationFunction, Definition, Timestamp, UNKNOWN};

/// Bytes kept of a reading's text, its closing NUL included (`LAST_DS_LEN` of the file format).
pub const LAST_READING_BYTES: usize = 30;

/// The live state of one round robin database.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveState {
    /// When the last update was.
    pub last_update: Timestamp,
    /// One for each data source: the primary data point in the making.
    pub sources: Vec<SourceState>,
    /// One for each archive and source, `archive * sources + source`: the consolidated data point
    /// in the making.
    pub cells: Vec<CellState>,
    /// What forecasting archives have beside their cells; empty where there is none.
    pub forecast: ForecastState,
}

/// The primary data point (PDP) of one source in the making.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceState {
    /// The text of the last reading.
    pub last_reading: LastReading,
    /// Seconds of the current step that are unknown.
    pub unknown_seconds: u64,
    /// Rate times seconds gathered in the current step.
    pub value: f64,
}

/// The consolidated data point (CDP) of one archive and source in the making.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellState {
    /// What the consolidation function has gathered so far.
    pub value: f64,
    /// How many PDPs of the current row are unknown.
    pub unknown_pdps: u64,
    /// The first row of those that became final last.
    pub primary: f64,
    /// Every further row of those that became final last.
    pub secondary: f64,
}

impl LiveState {
    /// The state of a database that has seen no update since `start`.
    #[must_use]
    pub fn fresh(definition: &Definition, start: Timestamp) -> Self {
        let into_step_seconds = start.seconds.rem_euclid(definition.step_seconds as i64) as u64;
        let source = SourceState {
            last_reading: LastReading::UNKNOWN,
            unknown_seconds: into_step_seconds,
            value: UNKNOWN,
        };
        let mut cells = Vec::with_capacity(definition.archives.len() * definition.sources.len());
        for archive in &definition.archives {
            let pdps_so_far =
                start.seconds.rem_euclid((archive.pdp_per_row * definition.step_seconds) as i64)
                    as u64
                    / definition.step_seconds;
            let zero = CellState { value: 0.0, unknown_pdps: 0, primary: 0.0, secondary: 0.0 };
            let cell =
                if archive.cf.is_forecast() && archive.cf != ConsolidationFunction::DevPredict {
                    zero
                } else {
                    CellState { value: UNKNOWN, unknown_pdps: pdps_so_far, ..zero }
                };
            cells.extend(std::iter::repeat_n(cell, definition.sources.len()));
        }
        Self {
            last_update: start,
            sources: vec![source; definition.sources.len()],
            cells,
            forecast: ForecastState::fresh(definition),
        }
    }
}

impl LiveState {
    /// Whether it belongs to a definition with forecasting archives.
    pub(crate) fn forecasts(&self) -> bool {
        !self.forecast.words.is_empty()
    }
}

/// The text of a reading, cut to what the file format keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LastReading([u8; LAST_READING_BYTES]);

impl LastReading {
    /// No reading is known.
    pub const UNKNOWN: Self = Self::from_prefix(b"U");

    const fn from_prefix(prefix: &[u8; 1]) -> Self {
        let mut bytes = [0; LAST_READING_BYTES];
        bytes[0] = prefix[0];
        Self(bytes)
    }

    /// Keeps what fits of a reading's text; the rest of the field is zero.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let kept = text.len().min(LAST_READING_BYTES - 1);
        let mut bytes = [0; LAST_READING_BYTES];
        bytes[..kept].copy_from_slice(&text.as_bytes()[..kept]);
        Self(bytes)
    }

    /// The field as it stands in a file.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; LAST_READING_BYTES]) -> Self {
        Self(bytes)
    }

    /// The field as it stands in a file.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; LAST_READING_BYTES] {
        &self.0
    }

    /// The text up to its NUL.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        self.0.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Whether it stands for "unknown": rrdtool looks at the first letter only.
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        self.0[0] == b'U'
    }
}

impl std::fmt::Debug for LastReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(self.text()))
    }
}

/// What a cell holds right after rows became final and before anything new was gathered.
#[must_use]
pub(crate) fn empty_cell_value(cf: ConsolidationFunction) -> f64 {
    match cf {
        ConsolidationFunction::Average => 0.0,
        ConsolidationFunction::Min => f64::INFINITY,
        ConsolidationFunction::Max => f64::NEG_INFINITY,
        _ => UNKNOWN,
    }
}
