//! The offsets of all parts of a file.

/// A slot of an archive's ring, counted from the ring's start in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowIndex(pub u64);

impl RowIndex {
    /// The slot `count` further on, in a ring of `rows`.
    #[must_use]
    pub fn advance(self, count: u64, rows: u64) -> Self {
        assert!(self.0 < rows);
        Self((self.0 + count % rows) % rows)
    }

    /// The slot of the row that is `age` rows older, in a ring of `rows`.
    #[must_use]
    pub fn back(self, age: u64, rows: u64) -> Self {
        assert!(self.0 < rows && age < rows);
        Self((self.0 + rows - age) % rows)
    }
}

/// What rrdtool writes to detect foreign floating point formats.
pub(crate) const FLOAT_COOKIE: f64 = 8.642135e130;
pub(crate) const VERSION_OFFSET: usize = 4;
pub(crate) const VERSION_BYTES: usize = 5;
pub(crate) const COOKIE_OFFSET: usize = 16;
pub(crate) const SOURCE_COUNT_OFFSET: usize = 24;
pub(crate) const ARCHIVE_COUNT_OFFSET: usize = 32;
pub(crate) const STEP_OFFSET: usize = 40;
/// Bytes of `stat_head`.
pub const STAT_HEAD_BYTES: usize = 128;

pub(crate) const SOURCE_BYTES: usize = 120;
pub(crate) const NAME_FIELD_BYTES: usize = 20;
pub(crate) const SOURCE_KIND_OFFSET: usize = 20;
pub(crate) const SOURCE_PARAMETERS_OFFSET: usize = 40;

pub(crate) const ARCHIVE_BYTES: usize = 120;
pub(crate) const ARCHIVE_ROWS_OFFSET: usize = 24;
pub(crate) const ARCHIVE_PDPS_OFFSET: usize = 32;
pub(crate) const ARCHIVE_PARAMETERS_OFFSET: usize = 40;

pub(crate) const LIVE_HEAD_BYTES: usize = 16;
/// Bytes of `live_head` in versions 0001 and 0002, which had no microseconds.
pub(crate) const LEGACY_LIVE_HEAD_BYTES: usize = 8;
pub(crate) const PDP_PREP_BYTES: usize = 112;
pub(crate) const PDP_UNKNOWN_OFFSET: usize = 32;
pub(crate) const PDP_VALUE_OFFSET: usize = 40;
pub(crate) const CDP_PREP_BYTES: usize = 80;
pub(crate) const CDP_WORDS_OFFSET: usize = 16;
pub(crate) const CDP_PRIMARY_OFFSET: usize = 64;
pub(crate) const ROW_POINTER_BYTES: usize = 8;
pub(crate) const VALUE_BYTES: u64 = 8;

/// The offsets of the parts of one file, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    sources: usize,
    live_head_bytes: usize,
    /// The number of rows before each archive, and of all rows: prefix sums of the row counts.
    rows_before: Vec<u64>,
}

impl Layout {
    /// The layout of a file of version 0003 or later with these sources and archives; `None` if the
    /// file would be too large.
    #[must_use]
    pub fn new(sources: usize, archive_rows: impl Iterator<Item = u64>) -> Option<Self> {
        Self::with_live_head(sources, archive_rows, LIVE_HEAD_BYTES)
    }

    /// The same with a live head of another size, for versions 0001 and 0002.
    pub(crate) fn with_live_head(
        sources: usize,
        archive_rows: impl Iterator<Item = u64>,
        live_head_bytes: usize,
    ) -> Option<Self> {
        let mut rows_before = Vec::with_capacity(archive_rows.size_hint().0 + 1);
        rows_before.push(0_u64);
        for rows in archive_rows {
            rows_before.push(rows_before.last()?.checked_add(rows)?);
        }
        let data_bytes =
            rows_before.last()?.checked_mul(sources as u64)?.checked_mul(VALUE_BYTES)?;
        let layout = Self { sources, live_head_bytes, rows_before };
        let fits = data_bytes.checked_add(layout.header_bytes() as u64)? <= i64::MAX as u64;
        fits.then_some(layout)
    }

    /// The size of a header with these numbers of sources and archives.
    pub(crate) fn header_bytes_of(
        sources: u64,
        archives: u64,
        live_head_bytes: usize,
    ) -> Option<u64> {
        let a_source = (SOURCE_BYTES + PDP_PREP_BYTES) as u64;
        let an_archive = (ARCHIVE_BYTES + ROW_POINTER_BYTES) as u64;
        let cells = sources.checked_mul(archives)?.checked_mul(CDP_PREP_BYTES as u64)?;
        ((STAT_HEAD_BYTES + live_head_bytes) as u64)
            .checked_add(sources.checked_mul(a_source)?)?
            .checked_add(archives.checked_mul(an_archive)?)?
            .checked_add(cells)
    }

    pub(crate) fn archives(&self) -> usize {
        self.rows_before.len() - 1
    }

    /// Where the definition of a source stands.
    #[must_use]
    pub fn source_offset(source: usize) -> usize {
        STAT_HEAD_BYTES + source * SOURCE_BYTES
    }

    /// Where the definition of an archive stands.
    #[must_use]
    pub fn archive_offset(&self, archive: usize) -> usize {
        Self::source_offset(self.sources) + archive * ARCHIVE_BYTES
    }

    /// The start of the live part of the header: updates change nothing before it.
    #[must_use]
    pub fn live_offset(&self) -> usize {
        self.archive_offset(self.archives())
    }

    /// Whether the last update has microseconds: not in versions 0001 and 0002.
    #[must_use]
    pub fn has_micros(&self) -> bool {
        self.live_head_bytes == LIVE_HEAD_BYTES
    }

    /// Where the last reading and the PDP of a source stand.
    #[must_use]
    pub fn pdp_offset(&self, source: usize) -> usize {
        self.live_offset() + self.live_head_bytes + source * PDP_PREP_BYTES
    }

    /// Where a cell stands: those of an archive lie side by side, one for each source.
    #[must_use]
    pub fn cdp_offset(&self, cell: usize) -> usize {
        self.pdp_offset(self.sources) + cell * CDP_PREP_BYTES
    }

    /// Where the number of the row written last of an archive stands.
    #[must_use]
    pub fn row_pointer_offset(&self, archive: usize) -> usize {
        self.cdp_offset(self.archives() * self.sources) + archive * ROW_POINTER_BYTES
    }

    /// The size of the header, which is everything before the rows.
    #[must_use]
    pub fn header_bytes(&self) -> usize {
        self.row_pointer_offset(self.archives())
    }

    /// The offset of a row of an archive.
    ///
    /// # Panics
    ///
    /// If the archive has no such row.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "an archive of this layout, which has a sum for each and one more"
    )]
    pub fn row_offset(&self, archive: usize, row: RowIndex) -> u64 {
        assert!(row.0 < self.rows(archive));
        self.header_bytes() as u64 + (self.rows_before[archive] + row.0) * self.row_bytes()
    }

    /// The number of rows of an archive.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "an archive of this layout, which has a sum for each and one more"
    )]
    pub fn rows(&self, archive: usize) -> u64 {
        self.rows_before[archive + 1] - self.rows_before[archive]
    }

    /// Bytes of one row.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        self.sources as u64 * VALUE_BYTES
    }

    /// Bytes of the whole file.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "an archive of this layout, which has a sum for each and one more"
    )]
    pub fn file_bytes(&self) -> u64 {
        self.header_bytes() as u64 + self.rows_before[self.archives()] * self.row_bytes()
    }
}
