//! A format for every state, for states that do not fit in the packed format.
//!
//! ```text
//!   varint     for each class: 0 no row yet, 1 explicit, 2 + age
//!   varint     seconds, zigzag; then microseconds
//!              for each source
//!   1 + n        n and the last reading's field, but for the zeros at its end
//!   varint       unknown seconds
//!   8            value
//!              for each archive and source
//!   8            value
//!   varint       unknown PDPs
//!   8            secondary, if it is kept or explicit
//!   8            primary, if it is explicit
//!              what `forecast` adds
//!              for each STDEV, PERCENTILE and source
//!   varint       how many PDPs of the row are known
//!   8 8          STDEV: their mean, their squared distances from it
//!   8            PERCENTILE: each of them
//! ```

use rrd::live::{CellState, LAST_READING_BYTES, LastReading, SourceState};
use rrd::{LiveState, Moments, RowSoFar, Timestamp};
use varint::RecordError;
use varint::{Cursor, put_signed, put_varint};

use super::layout::Secondary;
use super::row::CellForm;
use super::{Run, State, StateLayout, reading};

const NEVER: u64 = 0;
const EXPLICIT: u64 = 1;
const FIRST_AGE: u64 = 2;

impl StateLayout {
    /// Appends the encoding of any state.
    ///
    /// # Panics
    ///
    /// If the state is of another layout.
    pub fn encode(&self, state: &State, out: &mut Vec<u8>) {
        self.assert_ours(state);
        for run in &state.runs {
            put_varint(run_code(*run), out);
        }
        put_signed(state.live.last_update.seconds, out);
        put_varint(state.live.last_update.micros.into(), out);
        for source in &state.live.sources {
            let field = source.last_reading.to_bytes();
            let text = reading::whole_text(&field);
            out.push(text.len() as u8);
            out.extend_from_slice(text);
            put_varint(source.unknown_seconds, out);
            out.extend_from_slice(&source.value.to_le_bytes());
        }
        for (nth, cell) in state.live.cells.iter().enumerate() {
            let stands = self.stands(nth, &state.runs);
            out.extend_from_slice(&cell.value.to_le_bytes());
            put_varint(cell.unknown_pdps, out);
            if stands.secondary {
                out.extend_from_slice(&cell.secondary.to_le_bytes());
            }
            if stands.primary {
                out.extend_from_slice(&cell.primary.to_le_bytes());
            }
        }
        self.encode_forecast(&state.live.forecast, out);
        self.encode_rows(&state.live.rows_so_far, out);
    }

    /// Decodes a state that [`Self::encode`] encoded.
    ///
    /// # Errors
    ///
    /// The bytes are not a state of this layout.
    pub fn decode(&self, bytes: &[u8]) -> Result<State, RecordError> {
        let mut cursor = Cursor::new(bytes);
        let runs = self.classes().iter().map(|class| run(&mut cursor, class.age_max));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let last_update = Timestamp {
            seconds: cursor.signed("the seconds of the last update")?,
            micros: cursor.varint_u32("the microseconds of the last update")?,
        };
        let sources = self.readings().iter().map(|_| source(&mut cursor));
        let sources = sources.collect::<Result<_, _>>()?;
        let cells = (0..self.archives() * self.sources())
            .map(|nth| cell(&mut cursor, self.stands(nth, &runs)))
            .collect::<Result<_, _>>()?;
        let forecast = self.decode_forecast(&mut cursor)?;
        let rows_so_far = self.decode_rows(&mut cursor)?;
        if !cursor.rest().is_empty() {
            return Err(cursor.error("the end of the state"));
        }
        let live = LiveState { last_update, sources, cells, forecast, rows_so_far };
        Ok(State::new(live, runs))
    }

    /// Appends what is kept of rows.
    fn encode_rows(&self, rows: &[RowSoFar], out: &mut Vec<u8>) {
        for row in rows {
            match row {
                RowSoFar::InCell => {}
                RowSoFar::Moments(Moments { count, mean, squares }) => {
                    put_varint(*count, out);
                    [mean, squares].iter().for_each(|it| out.extend_from_slice(&it.to_le_bytes()));
                }
                RowSoFar::Values(values) => {
                    put_varint(values.len() as u64, out);
                    values.iter().for_each(|it| out.extend_from_slice(&it.to_le_bytes()));
                }
            }
        }
    }

    fn decode_rows(&self, cursor: &mut Cursor<'_>) -> Result<Vec<RowSoFar>, RecordError> {
        if !self.has_spreads() {
            return Ok(Vec::new());
        }
        let mut rows = Vec::with_capacity(self.archives() * self.sources());
        for (form, class) in self.forms().iter().zip(self.classes_of_archives()) {
            for _ in 0..self.sources() {
                rows.push(row(cursor, *form, class.pdp_per_row)?);
            }
        }
        Ok(rows)
    }

    /// Which values of a cell are in the encoding.
    fn stands(&self, cell: usize, runs: &[Run]) -> Stands {
        let class = self.class_of(cell / self.sources());
        let primary = runs[class] == Run::Explicit;
        let kept = self.classes()[class].secondary == Secondary::Kept;
        Stands { primary, secondary: primary || kept }
    }
}

#[derive(Clone, Copy)]
struct Stands {
    primary: bool,
    secondary: bool,
}

fn run_code(run: Run) -> u64 {
    match run {
        Run::Never => NEVER,
        Run::Explicit => EXPLICIT,
        Run::Age(age) => FIRST_AGE + age,
    }
}

fn run(cursor: &mut Cursor<'_>, age_max: u64) -> Result<Run, RecordError> {
    let expected = "where the first rows of the last update are";
    let in_ring = |code: &u64| *code <= age_max.saturating_add(FIRST_AGE);
    Ok(match cursor.checked(expected, |cursor| cursor.varint(expected), in_ring)? {
        NEVER => Run::Never,
        EXPLICIT => Run::Explicit,
        age => Run::Age(age - FIRST_AGE),
    })
}

fn source(cursor: &mut Cursor<'_>) -> Result<SourceState, RecordError> {
    let expected = "the field of a last reading";
    let fits = |count: &u8| usize::from(*count) <= LAST_READING_BYTES;
    let count = cursor.checked(expected, |cursor| cursor.byte(expected), fits)?;
    let no_zeros = |text: &&[u8]| text.last() != Some(&0);
    let text = cursor.checked(expected, |text| text.take(count.into(), expected), no_zeros)?;
    let mut bytes = [0; LAST_READING_BYTES];
    bytes[..text.len()].copy_from_slice(text);
    Ok(SourceState {
        last_reading: LastReading::from_bytes(bytes),
        unknown_seconds: cursor.varint("unknown seconds")?,
        value: cursor.double("the value of a source")?,
    })
}

fn row(cursor: &mut Cursor<'_>, form: CellForm, pdp_per_row: u64) -> Result<RowSoFar, RecordError> {
    if !form.is_spread() {
        return Ok(RowSoFar::InCell);
    }
    let expected = "fewer known PDPs than a row has";
    let count = cursor.checked(expected, |it| it.varint(expected), |count| *count < pdp_per_row)?;
    if form == CellForm::Moments {
        let (mean, squares) = (cursor.double("a mean")?, cursor.double("squared distances")?);
        return Ok(RowSoFar::Moments(Moments { count, mean, squares }));
    }
    let expected = "a known PDP";
    let known = |cursor: &mut Cursor<'_>| {
        cursor.checked(expected, |it| it.double(expected), |value| !value.is_nan())
    };
    Ok(RowSoFar::Values((0..count).map(|_| known(cursor)).collect::<Result<_, _>>()?))
}

fn cell(cursor: &mut Cursor<'_>, stands: Stands) -> Result<CellState, RecordError> {
    let value = cursor.double("the value of a cell")?;
    let unknown_pdps = cursor.varint("unknown PDPs")?;
    let secondary = if stands.secondary { cursor.double("a secondary")? } else { 0.0 };
    let primary = if stands.primary { cursor.double("a primary")? } else { 0.0 };
    Ok(CellState { value, unknown_pdps, primary, secondary })
}
