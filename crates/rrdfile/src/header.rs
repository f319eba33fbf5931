//! Everything of a file but its rows.

use rrd::live::{CellState, LastReading, SourceState};
use rrd::{Archive, DataSource, Definition, LiveState, SourceKind, Timestamp};

use crate::FormatError;
use crate::bytes::{array, read_count, read_text, read_value, write, write_count, write_value};
use crate::layout::{self, Layout, RowIndex};

/// What rrdtool writes to detect foreign floating point formats.
const FLOAT_COOKIE: f64 = 8.642135e130;

/// The version of the file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32);

impl Version {
    /// The version that rrdtool writes for a definition: 0005 where a DCOUNTER or DDERIVE is
    /// present, else 0003.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let floating =
            |source: &DataSource| matches!(source.kind, SourceKind::Dcounter | SourceKind::Dderive);
        Self(if definition.sources.iter().any(floating) { 5 } else { 3 })
    }

    fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let text = read_text(bytes, layout::VERSION_OFFSET, layout::VERSION_BYTES);
        match text.parse() {
            // Below 3 the live head is shorter; such files cannot be told from damage yet.
            Ok(number @ 3..=5) if text.len() == 4 => Ok(Self(number)),
            _ => Err(FormatError::Version(text)),
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

/// Everything of a file but its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The version of the file.
    pub version: Version,
    /// What the file holds.
    pub definition: Definition,
    /// Its live state.
    pub live: LiveState,
    /// For each archive, the row written last.
    pub newest_rows: Vec<RowIndex>,
    /// Where everything stands.
    pub layout: Layout,
}

impl Header {
    /// The header of a new file; `newest_rows` has one entry for each archive.
    ///
    /// `None` if the file would be larger than a file can be.
    #[must_use]
    pub fn new(
        definition: Definition,
        live: LiveState,
        newest_rows: Vec<RowIndex>,
    ) -> Option<Self> {
        let rows = definition.archives.iter().map(|archive| archive.rows);
        let layout = Layout::new(definition.sources.len(), rows)?;
        Some(Self { version: Version::of(&definition), definition, live, newest_rows, layout })
    }

    /// How many bytes the header of a file takes, told by its first
    /// [`layout::STAT_HEAD_BYTES`]. `file_bytes` is the size of the whole file.
    ///
    /// # Errors
    /// The beginning of the file is not that of an `.rrd` file of this architecture, or the file
    /// ends within its header.
    pub fn bytes_needed(prefix: &[u8], file_bytes: u64) -> Result<usize, FormatError> {
        if prefix.len() < layout::STAT_HEAD_BYTES {
            return Err(FormatError::HeaderEnds {
                part: "stat_head",
                offset_bytes: 0,
                expected_bytes: layout::STAT_HEAD_BYTES as u64,
                found_bytes: prefix.len() as u64,
            });
        }
        if !prefix.starts_with(b"RRD\0") {
            return Err(FormatError::Magic(array(prefix, 0)));
        }
        if array(prefix, layout::COOKIE_OFFSET) != FLOAT_COOKIE.to_le_bytes() {
            return Err(FormatError::Architecture(array(prefix, layout::COOKIE_OFFSET)));
        }
        Version::decode(prefix)?;
        let sources = read_count(prefix, layout::SOURCE_COUNT_OFFSET);
        let archives = read_count(prefix, layout::ARCHIVE_COUNT_OFFSET);
        check_parts_fit(sources, archives, file_bytes)?;
        let needed = Layout::header_bytes_of(sources, archives).filter(|size| *size <= file_bytes);
        Ok(needed.expect("every part fits") as usize)
    }

    /// Reads a header from its bytes, [`Header::bytes_needed`] of them. `file_bytes` is the size of
    /// the whole file.
    ///
    /// # Errors
    /// [`FormatError`]: what is wrong, and where.
    pub fn decode(bytes: &[u8], file_bytes: u64) -> Result<Self, FormatError> {
        let needed = Self::bytes_needed(bytes, file_bytes)?;
        assert!(bytes.len() >= needed);
        let definition = decode_definition(bytes)?;
        let rows = definition.archives.iter().map(|archive| archive.rows);
        let too_large = FormatError::RowsEnd { expected_bytes: u64::MAX, found_bytes: file_bytes };
        let layout = Layout::new(definition.sources.len(), rows).ok_or(too_large)?;
        if layout.file_bytes() > file_bytes {
            return Err(FormatError::RowsEnd {
                expected_bytes: layout.file_bytes(),
                found_bytes: file_bytes,
            });
        }
        let live = LiveState {
            last_update: Timestamp::default(),
            sources: Vec::with_capacity(definition.sources.len()),
            cells: Vec::with_capacity(definition.sources.len() * definition.archives.len()),
        };
        let version = Version::decode(bytes)?;
        let mut header = Self { version, definition, live, newest_rows: Vec::new(), layout };
        header.decode_live(bytes)?;
        Ok(header)
    }

    /// Reads the live part anew from the bytes of the same file's header.
    ///
    /// # Errors
    /// [`FormatError::Number`].
    pub fn decode_live(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        let (layout, live) = (&self.layout, &mut self.live);
        live.last_update = decode_last_update(bytes, layout.live_offset())?;
        live.sources.clear();
        for source in 0..self.definition.sources.len() {
            live.sources.push(decode_source_state(bytes, layout.pdp_offset(source)));
        }
        live.cells.clear();
        for cell in 0..self.definition.sources.len() * self.definition.archives.len() {
            live.cells.push(decode_cell(bytes, layout.cdp_offset(cell)));
        }
        self.newest_rows.clear();
        for (index, archive) in self.definition.archives.iter().enumerate() {
            let offset = layout.row_pointer_offset(index);
            let row = read_count(bytes, offset);
            check(row < archive.rows, offset, "a row within the archive", row)?;
            self.newest_rows.push(RowIndex(row));
        }
        Ok(())
    }

    /// Writes the live part over the bytes of the same file's header. Fields that gyre does not
    /// know keep their bytes.
    pub fn encode_live(&self, bytes: &mut [u8]) {
        let (layout, live) = (&self.layout, &self.live);
        let head = layout.live_offset();
        write_count(bytes, head, live.last_update.seconds as u64);
        write_count(bytes, head + 8, u64::from(live.last_update.micros));
        for (index, source) in live.sources.iter().enumerate() {
            let offset = layout.pdp_offset(index);
            write(bytes, offset, source.last_reading.as_bytes());
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
        for (index, row) in self.newest_rows.iter().enumerate() {
            write_count(bytes, layout.row_pointer_offset(index), row.0);
        }
    }

    /// The bytes of the whole header.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.layout.header_bytes()];
        let definition = &self.definition;
        write(&mut bytes, 0, b"RRD\0");
        write(&mut bytes, layout::VERSION_OFFSET, self.version.to_string().as_bytes());
        write_value(&mut bytes, layout::COOKIE_OFFSET, FLOAT_COOKIE);
        write_count(&mut bytes, layout::SOURCE_COUNT_OFFSET, definition.sources.len() as u64);
        write_count(&mut bytes, layout::ARCHIVE_COUNT_OFFSET, definition.archives.len() as u64);
        write_count(&mut bytes, layout::STEP_OFFSET, definition.step_seconds);
        for (index, source) in definition.sources.iter().enumerate() {
            encode_source(source, &mut bytes, Layout::source_offset(index));
        }
        for (index, archive) in definition.archives.iter().enumerate() {
            encode_archive(archive, &mut bytes, self.layout.archive_offset(index));
        }
        self.encode_live(&mut bytes);
        bytes
    }
}

/// Checks part by part that the file is long enough for a header with these counts.
fn check_parts_fit(sources: u64, archives: u64, file_bytes: u64) -> Result<(), FormatError> {
    let cells = sources.saturating_mul(archives);
    let parts = [
        ("ds_def", sources, layout::SOURCE_BYTES),
        ("rra_def", archives, layout::ARCHIVE_BYTES),
        ("live_head", 1, layout::LIVE_HEAD_BYTES),
        ("pdp_prep", sources, layout::PDP_PREP_BYTES),
        ("cdp_prep", cells, layout::CDP_PREP_BYTES),
        ("rra_ptr", archives, layout::ROW_POINTER_BYTES),
    ];
    let mut offset_bytes = layout::STAT_HEAD_BYTES as u64;
    for (part, count, bytes) in parts {
        let expected_bytes = offset_bytes.saturating_add(count.saturating_mul(bytes as u64));
        if expected_bytes > file_bytes {
            let found_bytes = file_bytes;
            return Err(FormatError::HeaderEnds {
                part,
                offset_bytes,
                expected_bytes,
                found_bytes,
            });
        }
        offset_bytes = expected_bytes;
    }
    Ok(())
}

fn check(
    holds: bool,
    offset: usize,
    expected: &'static str,
    found: u64,
) -> Result<(), FormatError> {
    let offset_bytes = offset as u64;
    if holds { Ok(()) } else { Err(FormatError::Number { offset_bytes, expected, found }) }
}

/// Longest span of time that a file may speak of, in seconds: beyond it, sums would overflow.
const SPAN_SECONDS_MAX: u64 = 1 << 60;

fn decode_definition(bytes: &[u8]) -> Result<Definition, FormatError> {
    let sources = read_count(bytes, layout::SOURCE_COUNT_OFFSET) as usize;
    let archives = read_count(bytes, layout::ARCHIVE_COUNT_OFFSET) as usize;
    check(sources > 0, layout::SOURCE_COUNT_OFFSET, "at least one data source", 0)?;
    check(archives > 0, layout::ARCHIVE_COUNT_OFFSET, "at least one archive", 0)?;
    let step_seconds = read_count(bytes, layout::STEP_OFFSET);
    let step_fits = (1..SPAN_SECONDS_MAX).contains(&step_seconds);
    check(step_fits, layout::STEP_OFFSET, "a step of at least one second", step_seconds)?;
    let archives_offset = Layout::source_offset(sources);
    Ok(Definition {
        step_seconds,
        sources: (0..sources)
            .map(|source| decode_source(bytes, Layout::source_offset(source)))
            .collect::<Result<_, _>>()?,
        archives: (0..archives)
            .map(|archive| archives_offset + archive * layout::ARCHIVE_BYTES)
            .map(|offset| decode_archive(bytes, offset, step_seconds))
            .collect::<Result<_, _>>()?,
    })
}

fn decode_source(bytes: &[u8], offset: usize) -> Result<DataSource, FormatError> {
    let kind_offset = offset + layout::SOURCE_KIND_OFFSET;
    let kind = read_text(bytes, kind_offset, layout::NAME_FIELD_BYTES);
    let parameters = offset + layout::SOURCE_PARAMETERS_OFFSET;
    let name = read_text(bytes, offset, layout::NAME_FIELD_BYTES);
    if name.len() >= layout::NAME_FIELD_BYTES || name.contains(char::REPLACEMENT_CHARACTER) {
        return Err(FormatError::SourceName { offset_bytes: offset as u64, found: name });
    }
    Ok(DataSource {
        name,
        kind: kind.parse().map_err(|()| FormatError::SourceKind {
            offset_bytes: kind_offset as u64,
            found: kind,
        })?,
        heartbeat_seconds: read_count(bytes, parameters),
        minimum: read_value(bytes, parameters + 8),
        maximum: read_value(bytes, parameters + 16),
    })
}

fn encode_source(source: &DataSource, bytes: &mut [u8], offset: usize) {
    assert!(source.name.len() < layout::NAME_FIELD_BYTES);
    let parameters = offset + layout::SOURCE_PARAMETERS_OFFSET;
    write(bytes, offset, source.name.as_bytes());
    write(bytes, offset + layout::SOURCE_KIND_OFFSET, source.kind.name().as_bytes());
    write_count(bytes, parameters, source.heartbeat_seconds);
    write_value(bytes, parameters + 8, source.minimum);
    write_value(bytes, parameters + 16, source.maximum);
}

fn decode_archive(bytes: &[u8], offset: usize, step_seconds: u64) -> Result<Archive, FormatError> {
    let cf = read_text(bytes, offset, layout::NAME_FIELD_BYTES);
    let rows_offset = offset + layout::ARCHIVE_ROWS_OFFSET;
    let pdps_offset = offset + layout::ARCHIVE_PDPS_OFFSET;
    let (rows, pdp_per_row) = (read_count(bytes, rows_offset), read_count(bytes, pdps_offset));
    check(rows > 0, rows_offset, "at least one row", rows)?;
    check(pdp_per_row > 0, pdps_offset, "at least one PDP a row", pdp_per_row)?;
    let span_seconds = step_seconds.checked_mul(pdp_per_row).and_then(|row| row.checked_mul(rows));
    let span_fits = span_seconds.is_some_and(|span| span < SPAN_SECONDS_MAX);
    check(span_fits, pdps_offset, "an archive of less than 2^60 seconds", pdp_per_row)?;
    Ok(Archive {
        cf: cf.parse().map_err(|()| FormatError::ConsolidationFunction {
            offset_bytes: offset as u64,
            found: cf,
        })?,
        rows,
        pdp_per_row,
        xff: read_value(bytes, offset + layout::ARCHIVE_XFF_OFFSET),
    })
}

fn encode_archive(archive: &Archive, bytes: &mut [u8], offset: usize) {
    write(bytes, offset, archive.cf.name().as_bytes());
    write_count(bytes, offset + layout::ARCHIVE_ROWS_OFFSET, archive.rows);
    write_count(bytes, offset + layout::ARCHIVE_PDPS_OFFSET, archive.pdp_per_row);
    write_value(bytes, offset + layout::ARCHIVE_XFF_OFFSET, archive.xff);
}

fn decode_last_update(bytes: &[u8], offset: usize) -> Result<Timestamp, FormatError> {
    let (seconds, micros) = (read_count(bytes, offset), read_count(bytes, offset + 8));
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
