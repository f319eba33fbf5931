//! The part of a header that every update changes, except for the row pointers.

use rrd::live::{CellState, LastReading, SourceState};
use rrd::{Definition, ForecastWords, LiveState, Timestamp};

use crate::FormatError;
use crate::bytes::{array, check, read_count, read_value, write, write_count, write_value};
use crate::layout::{self, Layout};

/// Decodes the live state again; the rings of seasonal archives are unchanged.
pub(crate) fn decode(
    bytes: &[u8],
    layout: &Layout,
    definition: &Definition,
    live: &mut LiveState,
) -> Result<(), FormatError> {
    live.last_update = decode_last_update(bytes, layout)?;
    live.sources.clear();
    for source in 0..definition.sources.len() {
        live.sources.push(decode_source_state(bytes, layout.pdp_offset(source)));
    }
    let cells = definition.sources.len() * definition.archives.len();
    live.cells.clear();
    live.cells.extend((0..cells).map(|cell| decode_cell(bytes, layout.cdp_offset(cell))));
    live.forecast.words.clear();
    if definition.has_forecasts() {
        let words = (0..cells).map(|cell| decode_words(bytes, layout.cdp_offset(cell)));
        live.forecast.words.extend(words);
    }
    Ok(())
}

/// Encodes the live state. Fields that gyre does not know keep their bytes.
pub(crate) fn encode(live: &LiveState, layout: &Layout, bytes: &mut [u8]) {
    let head = layout.live_offset();
    write_count(bytes, head, live.last_update.seconds as u64);
    if layout.has_micros() {
        write_count(bytes, head + 8, u64::from(live.last_update.micros));
    }
    for (index, source) in live.sources.iter().enumerate() {
        let offset = layout.pdp_offset(index);
        write(bytes, offset, &source.last_reading.to_bytes());
        write_count(bytes, offset + layout::PDP_UNKNOWN_OFFSET, source.unknown_seconds);
        write_value(bytes, offset + layout::PDP_VALUE_OFFSET, source.value);
    }
    for (index, cell) in live.cells.iter().enumerate() {
        let offset = layout.cdp_offset(index);
        write_value(bytes, offset, cell.value);
        write_count(bytes, offset + 8, cell.unknown_pdps);
        write_value(bytes, offset + layout::CDP_PRIMARY_OFFSET, cell.primary);
        write_value(bytes, offset + layout::CDP_PRIMARY_OFFSET + 8, cell.secondary);
    }
    for (index, ForecastWords(words)) in live.forecast.words.iter().enumerate() {
        let offset = layout.cdp_offset(index) + layout::CDP_WORDS_OFFSET;
        for (number, word) in words.iter().enumerate() {
            write_count(bytes, offset + 8 * number, *word);
        }
    }
}

fn decode_last_update(bytes: &[u8], layout: &Layout) -> Result<Timestamp, FormatError> {
    let offset = layout.live_offset();
    let seconds = read_count(bytes, offset);
    let micros = if layout.has_micros() { read_count(bytes, offset + 8) } else { 0 };
    check(i64::try_from(seconds).is_ok(), offset, "a time since 1970", seconds)?;
    check(micros < 1_000_000, offset + 8, "less than a million microseconds", micros)?;
    Ok(Timestamp { seconds: seconds as i64, micros: micros as u32 })
}

fn decode_source_state(bytes: &[u8], offset: usize) -> SourceState {
    SourceState {
        last_reading: LastReading::from_bytes(array(bytes, offset)),
        unknown_seconds: read_count(bytes, offset + layout::PDP_UNKNOWN_OFFSET),
        value: read_value(bytes, offset + layout::PDP_VALUE_OFFSET),
    }
}

fn decode_cell(bytes: &[u8], offset: usize) -> CellState {
    CellState {
        value: read_value(bytes, offset),
        unknown_pdps: read_count(bytes, offset + 8),
        primary: read_value(bytes, offset + layout::CDP_PRIMARY_OFFSET),
        secondary: read_value(bytes, offset + layout::CDP_PRIMARY_OFFSET + 8),
    }
}

fn decode_words(bytes: &[u8], offset: usize) -> ForecastWords {
    let word = |number| read_count(bytes, offset + layout::CDP_WORDS_OFFSET + 8 * number);
    ForecastWords(std::array::from_fn(word))
}
