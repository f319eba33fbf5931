//! A definition as bytes: step, sources, archives.

use rrd::{Archive, ConsolidationFunction, DataSource, Definition, MAX_NAME_BYTES, SourceKind};

use super::cursor::{Cursor, RecordError, put_text, put_varint};

// The numbers are the format's own; the order of the enums may change.
const SOURCE_KINDS: [SourceKind; 6] = [
    SourceKind::Gauge,
    SourceKind::Counter,
    SourceKind::Derive,
    SourceKind::Dcounter,
    SourceKind::Dderive,
    SourceKind::Absolute,
];
const FUNCTIONS: [ConsolidationFunction; 4] = [
    ConsolidationFunction::Average,
    ConsolidationFunction::Min,
    ConsolidationFunction::Max,
    ConsolidationFunction::Last,
];

/// Appends a definition.
pub(crate) fn encode(definition: &Definition, out: &mut Vec<u8>) {
    put_varint(definition.step_seconds, out);
    put_varint(definition.sources.len() as u64, out);
    for source in &definition.sources {
        put_text(&source.name, out);
        out.push(code(&SOURCE_KINDS, source.kind));
        put_varint(source.heartbeat_seconds, out);
        out.extend_from_slice(&source.minimum.to_le_bytes());
        out.extend_from_slice(&source.maximum.to_le_bytes());
    }
    put_varint(definition.archives.len() as u64, out);
    for archive in &definition.archives {
        out.push(code(&FUNCTIONS, archive.cf));
        put_varint(archive.rows, out);
        put_varint(archive.pdp_per_row, out);
        out.extend_from_slice(&archive.xff.to_le_bytes());
    }
}

fn code<T: PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|each| *each == one).expect("every one has a number") as u8
}

/// Reads a definition.
///
/// # Errors
/// [`RecordError`] for everything that encoding would not have written.
pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Result<Definition, RecordError> {
    let step_seconds = above_zero(cursor, "a step above zero")?;
    let sources = repeated(cursor, "the number of sources", source)?;
    let archives = repeated(cursor, "the number of archives", archive)?;
    Ok(Definition { step_seconds, sources, archives })
}

/// Takes a count, then so many items: each takes at least a byte, so that a count cannot ask for
/// more memory than the record is long.
fn repeated<T>(
    cursor: &mut Cursor<'_>,
    expected: &'static str,
    item: impl Fn(&mut Cursor<'_>) -> Result<T, RecordError>,
) -> Result<Vec<T>, RecordError> {
    let count = cursor.varint(expected)?;
    (0..count).map(|_| item(cursor)).collect()
}

fn source(cursor: &mut Cursor<'_>) -> Result<DataSource, RecordError> {
    let expected = "the name of a source";
    let valid = |name: &&str| (1..=MAX_NAME_BYTES).contains(&name.len());
    let name = cursor.checked(expected, |cursor| cursor.counted_text(expected), valid)?;
    Ok(DataSource {
        name: name.into(),
        kind: by_code(cursor, "the kind of a source", &SOURCE_KINDS)?,
        heartbeat_seconds: cursor.varint("a heartbeat")?,
        minimum: cursor.double("a minimum")?,
        maximum: cursor.double("a maximum")?,
    })
}

fn archive(cursor: &mut Cursor<'_>) -> Result<Archive, RecordError> {
    Ok(Archive::plain(
        by_code(cursor, "a consolidation function", &FUNCTIONS)?,
        above_zero(cursor, "rows above zero")?,
        above_zero(cursor, "PDPs a row above zero")?,
        cursor.double("an xfiles factor")?,
    ))
}

fn above_zero(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<u64, RecordError> {
    cursor.checked(expected, |cursor| cursor.varint(expected), |number| *number > 0)
}

fn by_code<T: Copy>(
    cursor: &mut Cursor<'_>,
    expected: &'static str,
    all: &[T],
) -> Result<T, RecordError> {
    let start = *cursor;
    let code = cursor.byte(expected)?;
    all.get(usize::from(code)).copied().ok_or_else(|| start.error(expected))
}
