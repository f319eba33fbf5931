//! The layout of a file in pages.

use rrd::Definition;
use rrdfile::layout::{Layout, RowIndex};

use super::{BlockMap, Touch};

/// The layout of a file in pages of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    page_bytes: u64,
    step_seconds: u64,
    row_bytes: u64,
    header_pages: u32,
    /// The page where the live part of the header begins.
    first_live_page: u32,
    data_pages: u32,
    pages: u32,
    block_map: BlockMap,
    rings: Vec<Ring>,
}

/// One archive's rows in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    pub(crate) offset_bytes: u64,
    pub(crate) rows: u64,
    pub(crate) pdp_per_row: u64,
    /// Whether every update reads all of it: the seasons of a forecast.
    pub(crate) is_read_whole: bool,
}

impl Shape {
    /// The shape of the files of a definition. `None` if they have more than 2^31 pages, which no
    /// simulation could handle, or no source, archive or step.
    ///
    /// # Panics
    ///
    /// If the page size is not a power of two of at least 512 bytes.
    #[must_use]
    pub fn new(definition: &Definition, page_bytes: u64, block_map: BlockMap) -> Option<Self> {
        assert!(page_bytes.is_power_of_two() && page_bytes >= 512);
        let archives = &definition.archives;
        let is_empty = |rows: u64, pdps: u64| rows == 0 || pdps == 0;
        if archives.iter().any(|archive| is_empty(archive.rows, archive.pdp_per_row))
            || is_empty(definition.step_seconds, definition.sources.len() as u64)
        {
            return None;
        }
        let rows = archives.iter().map(|archive| archive.rows);
        let layout = Layout::new(definition.sources.len(), rows)?;
        let data_pages = layout.file_bytes().div_ceil(page_bytes);
        let few = u32::try_from(data_pages).ok().filter(|pages| *pages < 1 << 30)?;
        let ring = |(index, archive): (usize, &rrd::Archive)| Ring {
            offset_bytes: layout.row_offset(index, RowIndex(0)),
            rows: archive.rows,
            pdp_per_row: archive.pdp_per_row,
            is_read_whole: archive.cf.is_seasonal(),
        };
        Some(Self {
            page_bytes,
            step_seconds: definition.step_seconds,
            row_bytes: layout.row_bytes(),
            header_pages: (layout.header_bytes() as u64).div_ceil(page_bytes) as u32,
            first_live_page: (layout.live_offset() as u64 / page_bytes) as u32,
            data_pages: few,
            pages: few + block_map.pages(data_pages, page_bytes) as u32,
            block_map,
            rings: archives.iter().enumerate().map(ring).collect(),
        })
    }

    /// Seconds between primary data points.
    #[must_use]
    pub fn step_seconds(&self) -> u64 {
        self.step_seconds
    }

    /// Seconds until all archives end a row at the same time again; `u64::MAX` if that is beyond
    /// all times.
    #[must_use]
    pub fn period_seconds(&self) -> u64 {
        let pdps = self.rings.iter().try_fold(1_u64, |period, ring| {
            let (mut a, mut b) = (period, ring.pdp_per_row);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            (period / a).checked_mul(ring.pdp_per_row)
        });
        pdps.and_then(|pdps| pdps.checked_mul(self.step_seconds)).unwrap_or(u64::MAX)
    }

    /// The number of archives.
    #[must_use]
    pub fn archives(&self) -> usize {
        self.rings.len()
    }

    /// The number of rows of an archive.
    ///
    /// # Panics
    ///
    /// If there is no such archive.
    #[must_use]
    pub fn rows(&self, archive: usize) -> u64 {
        self.rings[archive].rows
    }

    /// The number of pages of the header; they are the first of the file.
    #[must_use]
    pub fn header_pages(&self) -> u32 {
        self.header_pages
    }

    /// The number of pages of the file itself.
    #[must_use]
    pub fn data_pages(&self) -> u32 {
        self.data_pages
    }

    /// The number of pages of the file with its inode and indirect blocks, if these are counted.
    /// They come after the data, the inode first.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Whether a page is the inode or an indirect block.
    #[must_use]
    pub fn is_metadata(&self, page: u32) -> bool {
        page >= self.data_pages
    }

    pub(crate) fn rings(&self) -> &[Ring] {
        &self.rings
    }

    /// The page size in bytes.
    #[must_use]
    pub fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    pub(crate) fn row_bytes(&self) -> u64 {
        self.row_bytes
    }

    pub(crate) fn has_inode(&self) -> bool {
        self.block_map != BlockMap::DataOnly
    }

    pub(crate) fn has_indirect_blocks(&self) -> bool {
        self.pages > self.data_pages + 1
    }

    /// The header's pages that every update writes.
    pub(crate) fn live_pages(&self) -> std::ops::Range<u32> {
        self.first_live_page..self.header_pages
    }

    /// The data pages, first and last, that an indirect block leads to.
    pub(crate) fn range_of_indirect_block(&self, block: u32) -> (u32, u32) {
        let (first, last) = BlockMap::range(u64::from(block), self.page_bytes);
        let page = |block: u64| u32::try_from(block).unwrap_or(u32::MAX);
        (page(first), page(last))
    }

    /// The range of every indirect block of the file.
    pub(crate) fn indirect_ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let blocks = self.pages.saturating_sub(self.data_pages + 1);
        let ranges = (0..blocks).map(|block| self.range_of_indirect_block(block));
        ranges.filter(|(first, _)| *first < self.data_pages)
    }

    /// The next page that may have another chain of indirect blocks.
    pub(crate) fn next_indirect_block(&self, page: u32) -> u32 {
        BlockMap::next_leaf(u64::from(page), self.page_bytes) as u32
    }

    /// The pages of `count` consecutive rows that do not wrap.
    pub(crate) fn pages_of_rows(&self, ring: &Ring, first: u64, count: u64) -> (u32, u32) {
        debug_assert!(count > 0 && first + count <= ring.rows);
        let start = ring.offset_bytes + first * self.row_bytes;
        let last = start + count * self.row_bytes - 1;
        ((start / self.page_bytes) as u32, (last / self.page_bytes) as u32)
    }

    /// Touches the pages of opening the file and reading its header.
    pub(crate) fn touch_head(&self, touch: &mut impl FnMut(Touch)) {
        if self.block_map != BlockMap::DataOnly {
            touch(Touch::write(self.data_pages)); // the time of change, if nothing else
        }
        for page in 0..self.header_pages {
            self.touch_data(Touch::read(page), touch);
        }
        for ring in self.rings.iter().filter(|ring| ring.is_read_whole) {
            let (first, last) = self.pages_of_rows(ring, 0, ring.rows);
            for page in first..=last {
                self.touch_data(Touch::read(page), touch);
            }
        }
    }

    /// Touches the pages of writing the live part of the header.
    pub(crate) fn touch_live(&self, touch: &mut impl FnMut(Touch)) {
        for page in self.first_live_page..self.header_pages {
            self.touch_data(Touch::write(page), touch);
        }
    }

    /// Touches a data page, and before it the indirect blocks that lead to it.
    #[inline]
    pub(crate) fn touch_data(&self, data: Touch, touch: &mut impl FnMut(Touch)) {
        for block in self.indirect_blocks(data.page).blocks() {
            touch(Touch::read(self.data_pages + 1 + block));
        }
        touch(data);
    }

    #[inline]
    pub(crate) fn indirect_blocks(&self, page: u32) -> super::block_map::Chain {
        self.block_map.chain(u64::from(page), self.page_bytes)
    }
}
