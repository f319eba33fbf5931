//! The header of a file: everything but its rows.

use rrd::{BeyondFiles, Definition, ForecastState, LiveState, Sample, Timestamp};

use crate::bytes::{array, check, read_count, read_text, write, write_count, write_value};
use crate::layout::{self, Layout, RowIndex};
use crate::{Architecture, FormatError, definition, live};

/// The version of the file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32);

impl Version {
    /// The version that rrdtool uses for a definition: [`Definition::format_version`].
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        Self(definition.format_version())
    }

    fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let text = read_text(bytes, layout::VERSION_OFFSET, layout::VERSION_BYTES);
        match text.parse() {
            Ok(number @ 1..=5) if text.len() == 4 => Ok(Self(number)),
            _ => Err(FormatError::Version(text.into_owned())),
        }
    }

    /// Whether files of this version have microseconds of the last update: since 0003.
    #[must_use]
    pub fn has_micros(self) -> bool {
        self.0 >= 3
    }

    /// The part of a sample that a file of this version can represent. As in rrdtool, the rest does
    /// not count.
    #[must_use]
    pub fn kept<'a>(self, sample: &Sample<'a>) -> Sample<'a> {
        let micros = if self.has_micros() { sample.time.micros } else { 0 };
        Sample { time: Timestamp { micros, ..sample.time }, ..*sample }
    }

    /// The version in a dump by rrdtool, which names none before 0003.
    #[must_use]
    pub fn in_dump(self) -> Self {
        Self(self.0.max(3))
    }

    pub(crate) fn live_head_bytes(self) -> usize {
        if self.has_micros() { layout::LIVE_HEAD_BYTES } else { layout::LEGACY_LIVE_HEAD_BYTES }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

/// The header of a file: everything but its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The version of the file.
    pub version: Version,
    /// The definition of the database.
    pub definition: Definition,
    /// Its live state.
    pub live: LiveState,
    /// The row of each archive that was written last.
    pub newest_rows: Vec<RowIndex>,
    /// The offsets of all parts.
    pub layout: Layout,
}

impl Header {
    /// The header of a new file; `newest_rows` has one entry for each archive.
    ///
    /// `None` if the file would be too large.
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

    /// The size of a file's header, from its first [`layout::STAT_HEAD_BYTES`]. `file_bytes` is the
    /// size of the whole file.
    ///
    /// # Errors
    ///
    /// It is not the beginning of an `.rrd` file of this architecture, or the file ends within its
    /// header.
    #[expect(clippy::expect_used, reason = "a header whose parts fit the file fits it")]
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
        if array(prefix, layout::COOKIE_OFFSET) != layout::FLOAT_COOKIE.to_le_bytes() {
            if Architecture::is_foreign(prefix) {
                return Err(FormatError::Foreign(Architecture::of(prefix)?));
            }
            return Err(FormatError::Architecture(array(prefix, layout::COOKIE_OFFSET)));
        }
        let live_head_bytes = Version::decode(prefix)?.live_head_bytes();
        let sources = read_count(prefix, layout::SOURCE_COUNT_OFFSET);
        let archives = read_count(prefix, layout::ARCHIVE_COUNT_OFFSET);
        check_parts_fit(sources, archives, live_head_bytes, file_bytes)?;
        let needed = Layout::header_bytes_of(sources, archives, live_head_bytes);
        Ok(needed.filter(|size| *size <= file_bytes).expect("every part fits") as usize)
    }

    /// Decodes a header from its [`Header::bytes_needed`] bytes. `file_bytes` is the size of the
    /// whole file.
    ///
    /// # Errors
    ///
    /// [`FormatError`]: what is wrong, and where.
    pub fn decode(bytes: &[u8], file_bytes: u64) -> Result<Self, FormatError> {
        let needed = Self::bytes_needed(bytes, file_bytes)?;
        assert!(bytes.len() >= needed);
        let version = Version::decode(bytes)?;
        let definition = definition::decode(bytes, version.0)?;
        let rows = definition.archives.iter().map(|archive| archive.rows);
        let too_large = FormatError::RowsEnd { expected_bytes: u64::MAX, found_bytes: file_bytes };
        let sources = definition.sources.len();
        let layout = Layout::with_live_head(sources, rows, version.live_head_bytes());
        let layout = layout.ok_or(too_large)?;
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
            forecast: ForecastState::default(),
            rows_so_far: Vec::new(),
        };
        let mut header = Self { version, definition, live, newest_rows: Vec::new(), layout };
        header.decode_live(bytes)?;
        Ok(header)
    }

    /// Decodes the live part again, from new bytes of the same file's header.
    ///
    /// # Errors
    ///
    /// [`FormatError::Number`].
    pub fn decode_live(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        let layout = &self.layout;
        live::decode(bytes, layout, &self.definition, &mut self.live)?;
        self.newest_rows.clear();
        self.newest_rows.reserve_exact(self.definition.archives.len());
        for (index, archive) in self.definition.archives.iter().enumerate() {
            let offset = layout.row_pointer_offset(index);
            let row = read_count(bytes, offset);
            check(row < archive.rows, offset, "a row within the archive", row)?;
            self.newest_rows.push(RowIndex(row));
        }
        Ok(())
    }

    /// Encodes the live part into the bytes of the same file's header. Fields that gyre does not
    /// know keep their bytes.
    pub fn encode_live(&self, bytes: &mut [u8]) {
        live::encode(&self.live, &self.layout, bytes);
        for (index, row) in self.newest_rows.iter().enumerate() {
            write_count(bytes, self.layout.row_pointer_offset(index), row.0);
        }
    }

    /// Encodes version, sources and archives into the bytes of the same file's header; the numbers
    /// of sources and archives must be unchanged. Fields that gyre does not know keep their bytes.
    pub fn encode_definition(&self, bytes: &mut [u8]) {
        write(bytes, layout::VERSION_OFFSET, self.version.to_string().as_bytes());
        definition::encode(&self.definition, &self.layout, bytes);
    }

    /// Encodes the whole header.
    ///
    /// # Errors
    ///
    /// A file cannot say all of it.
    pub fn encode(&self) -> Result<Vec<u8>, BeyondFiles> {
        self.definition.check_files_can_say()?;
        let mut bytes = vec![0; self.layout.header_bytes()];
        let definition = &self.definition;
        write(&mut bytes, 0, b"RRD\0");
        write(&mut bytes, layout::VERSION_OFFSET, self.version.to_string().as_bytes());
        write_value(&mut bytes, layout::COOKIE_OFFSET, layout::FLOAT_COOKIE);
        write_count(&mut bytes, layout::SOURCE_COUNT_OFFSET, definition.sources.len() as u64);
        write_count(&mut bytes, layout::ARCHIVE_COUNT_OFFSET, definition.archives.len() as u64);
        write_count(&mut bytes, layout::STEP_OFFSET, definition.step_seconds);
        definition::encode(definition, &self.layout, &mut bytes);
        self.encode_live(&mut bytes);
        Ok(bytes)
    }
}

/// Checks that the file is long enough for each part of a header with these counts.
fn check_parts_fit(
    sources: u64,
    archives: u64,
    live_head_bytes: usize,
    file_bytes: u64,
) -> Result<(), FormatError> {
    let cells = sources.saturating_mul(archives);
    let parts = [
        ("ds_def", sources, layout::SOURCE_BYTES),
        ("rra_def", archives, layout::ARCHIVE_BYTES),
        ("live_head", 1, live_head_bytes),
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
