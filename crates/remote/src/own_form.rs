//! Databases that no `.rrd` file can say, as bytes of gyre's own.
//!
//! ```text
//!   5        "GYRE", and 1: the version of this form
//!   +        the definition, as logs have it
//!   varint   bytes of the live state
//!   +        the live state, whole, with the rows of its seasons
//!   varint   for each archive: the slot of its newest row
//!   8        each value of the rows, archive by archive from the oldest on; not behind a header
//! ```

use livestate::{Run, State, StateLayout, seasons};
use rrd::{Definition, Snapshot};
use rrdfile::Header;
use rrdfile::layout::RowIndex;
use varint::{Cursor, RecordError, put_varint};

const MAGIC: &[u8; 5] = b"GYRE\x01";

/// Whether bytes are of this form.
pub(super) fn is_own(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Encodes a header.
pub(super) fn of_header(header: &Header) -> Vec<u8> {
    let mut live = header.live.clone();
    if live.forecast.rings.is_empty() {
        seasons::begin(&header.definition, &mut live);
    }
    let layout = StateLayout::new(&header.definition);
    let mut state = Vec::new();
    layout.encode(&State::new(live, vec![Run::Explicit; layout.class_count()]), &mut state);
    let mut out = MAGIC.to_vec();
    logform::definition::encode(&header.definition, &mut out);
    put_varint(state.len() as u64, &mut out);
    out.extend_from_slice(&state);
    header.newest_rows.iter().for_each(|row| put_varint(row.0, &mut out));
    out
}

/// Encodes a whole database; `None` if it does not fit in memory.
pub(super) fn of_whole(header: &Header, rows: &[Vec<f64>]) -> Option<Vec<u8>> {
    let mut out = of_header(header);
    let values = rows.iter().map(Vec::len).sum::<usize>();
    out.try_reserve_exact(values.checked_mul(size_of::<f64>())?).ok()?;
    rows.iter().flatten().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    Some(out)
}

/// Decodes a header that nothing follows.
///
/// # Errors
/// The bytes are not of this form.
pub(super) fn header(bytes: &[u8]) -> Result<Header, RecordError> {
    let mut cursor = Cursor::new(bytes);
    let mut header = head(&mut cursor)?;
    header.live.forecast.rings.clear();
    if !cursor.rest().is_empty() {
        return Err(cursor.error("the end of the header"));
    }
    Ok(header)
}

/// Decodes a whole database; its rows are those of a snapshot, seasons included.
///
/// # Errors
/// The bytes are not of this form.
pub(super) fn whole(bytes: &[u8]) -> Result<(Header, Snapshot), RecordError> {
    let mut cursor = Cursor::new(bytes);
    let mut header = head(&mut cursor)?;
    header.live.forecast.rings.clear();
    let rows = rows(&mut cursor, &header.definition)?;
    let snapshot =
        Snapshot { definition: header.definition.clone(), live: header.live.clone(), rows };
    Ok((header, snapshot))
}

fn head(cursor: &mut Cursor<'_>) -> Result<Header, RecordError> {
    cursor.take(MAGIC.len(), "the letters GYRE")?;
    let definition = logform::definition::decode(cursor)?;
    let bytes = cursor.varint("the bytes of a live state")?;
    let start = *cursor;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let state = cursor.take(bytes, "a live state")?;
    // Its size follows from the bytes that came: no definition can ask for more.
    if !has_cells(&definition, bytes) {
        return Err(start.error("a live state of the definition"));
    }
    let state = StateLayout::new(&definition).decode(state)?;
    let slots = definition.archives.iter().map(|archive| {
        let expected = "a row within the archive";
        cursor.checked(expected, |it| it.varint(expected), |row| *row < archive.rows)
    });
    let newest_rows = slots.map(|row| row.map(RowIndex)).collect::<Result<_, _>>()?;
    let too_large = || start.error("an archive that a file could have");
    Header::new(definition, state.live, newest_rows).ok_or_else(too_large)
}

/// Whether so many bytes can be a live state: each cell takes 9 at least.
fn has_cells(definition: &Definition, bytes: usize) -> bool {
    let cells = definition.sources.len().checked_mul(definition.archives.len());
    cells.and_then(|cells| cells.checked_mul(9)).is_some_and(|least| least <= bytes)
}

fn rows(cursor: &mut Cursor<'_>, definition: &Definition) -> Result<Vec<Vec<f64>>, RecordError> {
    let sources = definition.sources.len();
    let expected = "the rows of an archive";
    let of_archive = |archive: &rrd::Archive| {
        let rows = usize::try_from(archive.rows).unwrap_or(usize::MAX);
        let bytes = rows.saturating_mul(sources).saturating_mul(size_of::<f64>());
        Ok(rrdfile::values(cursor.take(bytes, expected)?).collect())
    };
    let rows = definition.archives.iter().map(of_archive).collect::<Result<_, RecordError>>()?;
    match cursor.rest() {
        [] => Ok(rows),
        _ => Err(cursor.error("the end of the rows")),
    }
}
