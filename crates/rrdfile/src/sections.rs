//! Maps offsets in a file to its parts, archives and rows.

use std::ops::Range;

use crate::layout::{Layout, RowIndex, STAT_HEAD_BYTES};

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Magic, version and counts.
    StatHead,
    /// The definitions of sources.
    Sources,
    /// The definitions of archives.
    Archives,
    /// The time of the last update.
    LiveHead,
    /// The primary data points in progress.
    PdpPrep,
    /// The consolidated data points in progress.
    CdpPrep,
    /// The row of each archive that was written last.
    RowPointers,
    /// The rows of an archive.
    Rows {
        /// The position of the archive.
        archive: usize,
    },
    /// Bytes after the last row.
    Rest,
}

impl Section {
    /// Whether an update writes it.
    #[must_use]
    pub fn is_live(self) -> bool {
        matches!(self, Self::LiveHead | Self::PdpPrep | Self::CdpPrep | Self::RowPointers)
    }

    /// Whether it is part of the header.
    #[must_use]
    pub fn is_header(self) -> bool {
        !matches!(self, Self::Rows { .. } | Self::Rest)
    }
}

impl Layout {
    /// All sections with their byte ranges, in order and without a gap, up to the last row.
    pub fn sections(&self) -> impl Iterator<Item = (Section, Range<u64>)> {
        let first_of = |archive| self.row_offset(archive, RowIndex(0));
        let rows = (0..self.archives()).filter(|archive| self.rows(*archive) > 0);
        let rows = rows.map(move |archive| {
            let start = first_of(archive);
            (Section::Rows { archive }, start..start + self.rows(archive) * self.row_bytes())
        });
        let borders = [
            0,
            STAT_HEAD_BYTES,
            self.archive_offset(0),
            self.live_offset(),
            self.pdp_offset(0),
            self.cdp_offset(0),
            self.row_pointer_offset(0),
            self.header_bytes(),
        ];
        let kinds = [
            Section::StatHead,
            Section::Sources,
            Section::Archives,
            Section::LiveHead,
            Section::PdpPrep,
            Section::CdpPrep,
            Section::RowPointers,
        ];
        let header = kinds.into_iter().zip(borders.into_iter().zip(borders.into_iter().skip(1)));
        let header = header.map(|(kind, (start, end))| (kind, start as u64..end as u64));
        header.chain(rows).filter(|(_, bytes)| !bytes.is_empty())
    }

    /// The sections that a range of the file touches, each with its part of the range; in order and
    /// without a gap.
    #[must_use]
    pub fn sections_in(&self, stretch: Range<u64>) -> Vec<(Section, Range<u64>)> {
        let cut = |bytes: Range<u64>| bytes.start.max(stretch.start)..bytes.end.min(stretch.end);
        let all = self.sections().chain([(Section::Rest, self.file_bytes()..u64::MAX)]);
        all.map(|(section, bytes)| (section, cut(bytes)))
            .filter(|(_, bytes)| !bytes.is_empty())
            .collect()
    }

    /// The rows of an archive that a range of the file touches.
    ///
    /// # Panics
    ///
    /// If the range is empty, or not within the archive's rows.
    #[must_use]
    pub fn rows_in(&self, archive: usize, stretch: &Range<u64>) -> Range<u64> {
        let start = self.row_offset(archive, RowIndex(0));
        let end = start + self.rows(archive) * self.row_bytes();
        assert!(start <= stretch.start && stretch.start < stretch.end && stretch.end <= end);
        let first = (stretch.start - start) / self.row_bytes();
        first..(stretch.end - start).div_ceil(self.row_bytes())
    }
}
