//! What changes with every update: the live state of one round robin database.

pub use crate::cell::CellState;
use crate::forecast::ForecastState;
use crate::number::digits;
use crate::{
    ConsolidationFunction, Definition, Reading, ReadingRoom, RowSoFar, Timestamp, UNKNOWN,
};

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
    /// What STDEV and PERCENTILE have beside their cells, one for each cell of any archive; empty
    /// where there is none of the two.
    pub rows_so_far: Vec<RowSoFar>,
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
            rows_so_far: RowSoFar::all_fresh(definition),
        }
    }
}

impl LiveState {
    /// Whether it belongs to a definition with forecasting archives.
    pub(crate) fn forecasts(&self) -> bool {
        !self.forecast.words.is_empty()
    }

    /// Whether its cells are all there is to it.
    pub(crate) fn is_plain(&self) -> bool {
        self.forecast.words.is_empty() & self.rows_so_far.is_empty()
    }
}

/// The text of a reading, cut to what the file format keeps.
///
/// An integer is kept by value: nearly every reading of a counter is one, and is compared with the
/// next one, packed and unpacked far more often than its text is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LastReading(Form);

/// Each field has one form only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    /// An integer without sign or leading zeros, and zeros behind its digits.
    Integer(u64),
    /// Any other field.
    Field([u8; LAST_READING_BYTES]),
}

/// The text of a last reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastText {
    field: [u8; LAST_READING_BYTES],
    length: usize,
}

impl std::ops::Deref for LastText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.field[..self.length]
    }
}

impl LastReading {
    /// No reading is known.
    pub const UNKNOWN: Self = Self::from_prefix(b"U");

    const fn from_prefix(prefix: &[u8; 1]) -> Self {
        let mut bytes = [0; LAST_READING_BYTES];
        bytes[0] = prefix[0];
        Self(Form::Field(bytes))
    }

    /// Keeps what fits of a reading's text; the rest of the field is zero.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::of(Reading::of(text))
    }

    /// As [`LastReading::new`], of a reading.
    #[must_use]
    pub fn of(reading: Reading<'_>) -> Self {
        if let Reading::Unsigned(value) = reading {
            return Self::integer(value);
        }
        let mut room = ReadingRoom::default();
        let text = reading.text(&mut room);
        let kept = text.len().min(LAST_READING_BYTES - 1);
        let mut bytes = [0; LAST_READING_BYTES];
        bytes[..kept].copy_from_slice(&text.as_bytes()[..kept]);
        Self::from_bytes(bytes)
    }

    /// The text of an integer.
    #[must_use]
    pub const fn integer(value: u64) -> Self {
        Self(Form::Integer(value))
    }

    /// The field as it stands in a file.
    #[must_use]
    pub fn from_bytes(bytes: [u8; LAST_READING_BYTES]) -> Self {
        let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (text, rest) = bytes.split_at(length);
        let canonical = length > 0 && (length == 1 || text[0] != b'0');
        let alone = canonical && rest.iter().all(|byte| *byte == 0);
        match digits::value(text).filter(|_| alone) {
            Some(value) => Self::integer(value),
            None => Self(Form::Field(bytes)),
        }
    }

    /// The field as it stands in a file.
    #[must_use]
    pub fn to_bytes(self) -> [u8; LAST_READING_BYTES] {
        match self.0 {
            Form::Field(bytes) => bytes,
            Form::Integer(value) => {
                let mut bytes = [0; LAST_READING_BYTES];
                digits::write(value, &mut bytes);
                bytes
            }
        }
    }

    /// The text up to its NUL.
    #[must_use]
    pub fn text(&self) -> LastText {
        let field = self.to_bytes();
        let length = field.iter().position(|byte| *byte == 0).unwrap_or(LAST_READING_BYTES);
        LastText { field, length }
    }

    /// The integer that its text writes out without sign or leading zeros, if it is one.
    #[must_use]
    pub const fn as_integer(&self) -> Option<u64> {
        match self.0 {
            Form::Integer(value) => Some(value),
            Form::Field(_) => None,
        }
    }

    /// Whether it stands for "unknown": rrdtool looks at the first letter only.
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        match self.0 {
            Form::Integer(_) => false,
            Form::Field(bytes) => bytes[0] == b'U',
        }
    }
}

impl std::fmt::Debug for LastReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.text()))
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

#[cfg(test)]
mod tests {
    use super::{LAST_READING_BYTES, LastReading};

    fn field(text: &[u8]) -> [u8; LAST_READING_BYTES] {
        let mut bytes = [0; LAST_READING_BYTES];
        bytes[..text.len()].copy_from_slice(text);
        bytes
    }

    #[test]
    fn every_field_comes_back() {
        let texts: [&[u8]; 14] = [
            b"",
            b"0",
            b"7",
            b"00",
            b"007",
            b"18446744073709551615",
            b"18446744073709551616",
            b"-1",
            b"1.5",
            b"U",
            b"12\x0034",
            b"12 ",
            b"123456789012345678901234567890",
            b"\xff1",
        ];
        for text in texts {
            assert_eq!(LastReading::from_bytes(field(text)).to_bytes(), field(text), "{text:?}");
        }
    }

    #[test]
    fn one_text_has_one_form() {
        for text in ["0", "00", "7", "18446744073709551615", "18446744073709551616", "-7", "U", ""]
        {
            let new = LastReading::new(text);
            assert_eq!(new, LastReading::from_bytes(field(text.as_bytes())), "{text}");
            assert_eq!(&*new.text(), text.as_bytes());
        }
        assert_eq!(LastReading::new("12").as_integer(), Some(12));
        assert_eq!(LastReading::new("012").as_integer(), None);
    }
}
