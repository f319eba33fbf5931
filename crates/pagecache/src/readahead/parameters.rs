//! The parameters of readahead.

/// The parameters of a [`Readahead`](crate::readahead::Readahead).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The page size in bytes, a power of two.
    pub page_bytes: u64,
    /// The pages of a stream's first window.
    pub first_pages: u64,
    /// The most pages that a stream may be ahead of its reader.
    pub pages_max: u64,
    /// The most streams of a file that are tracked at the same time.
    pub streams_max: usize,
    /// The most pages that may wait to be read, in percent of the thrashing threshold and of the
    /// free memory. 0 turns readahead off.
    pub readahead_ratio: u64,
    /// The most pages read ahead for each page used. With 1, gaps between reads are not read. A
    /// higher value serves readers that skip pages, at the cost of up to this many pages for each
    /// one used.
    pub readahead_hit_rate: u64,
    /// A stream that found this many consecutive pages in memory stops asking.
    pub resident_pages_max: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            page_bytes: 4096,
            first_pages: 32,
            pages_max: 2048,
            streams_max: 16,
            readahead_ratio: 50,
            readahead_hit_rate: 1,
            resident_pages_max: 256,
        }
    }
}

impl Parameters {
    pub(crate) fn assert_sound(&self) {
        assert!(self.page_bytes.is_power_of_two(), "a page has a power of two bytes");
        assert!(self.first_pages > 0, "a window has pages");
        assert!(
            self.pages_max >= self.first_pages,
            "the largest window is no smaller than the first"
        );
        assert!(self.streams_max > 0, "a stream at least is followed");
        assert!(self.readahead_hit_rate > 0, "each page used may have been read ahead");
    }
}
