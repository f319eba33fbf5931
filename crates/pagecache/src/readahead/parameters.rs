//! What can be set.

/// What can be set of a [`Readahead`](crate::readahead::Readahead).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bytes of a page, a power of two.
    pub page_bytes: u64,
    /// Pages of a stream's first window.
    pub first_pages: u64,
    /// The most pages that a stream is ahead of its reader.
    pub pages_max: u64,
    /// How many streams of one file are followed at once.
    pub streams_max: usize,
    /// Percent of the thrashing threshold, and of the memory that is told to be free, up to which
    /// pages wait to be read. 0 turns reading ahead off.
    pub readahead_ratio: u64,
    /// The most pages read ahead for each page used. With 1, holes are not read; more catches
    /// readers who skip now and then, at the price of that many pages for each that is wanted.
    pub readahead_hit_rate: u64,
    /// A stream falls silent when it found so many pages in memory one after the other.
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
