//! Limits how far streams read ahead, so that they do not evict each other's pages before they are
//! read.

use crate::readahead::parameters::Parameters;

/// The lowest threshold, in pages.
const THRESHOLD_PAGES_MIN: u64 = 8;

/// The thrashing threshold of all streams of a file: how many pages can wait to be read before some
/// are evicted. Unknown until the first eviction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Caps {
    threshold_pages: Option<u64>,
    free_pages: Option<u64>,
}

impl Caps {
    /// The most pages that one of `streams` streams may be ahead.
    pub(crate) fn of_one(&self, streams: u64, by: &Parameters) -> u64 {
        let share = |pages: u64| pages.saturating_mul(by.readahead_ratio) / 100 / streams.max(1);
        let known = [self.threshold_pages, self.free_pages].into_iter().flatten().min();
        known.map_or(by.pages_max, |pages| share(pages).min(by.pages_max))
    }

    /// Records that pages were evicted while `outstanding` pages waited.
    pub(crate) fn lost(&mut self, outstanding: u64) {
        let pages = self.threshold_pages.map_or(outstanding, |known| known.min(outstanding));
        self.threshold_pages = Some(pages.max(THRESHOLD_PAGES_MIN));
    }

    /// Records a window that was read without an eviction: the next one may be a little larger.
    pub(crate) fn calm(&mut self, streams: u64, by: &Parameters) {
        let Some(pages) = self.threshold_pages else { return };
        self.threshold_pages = Some(pages + (pages / 16).max(1));
        if self.of_one(streams, by) == by.pages_max {
            self.threshold_pages = None;
        }
    }

    pub(crate) fn set_free(&mut self, pages: u64) {
        self.free_pages = Some(pages);
    }
}

#[cfg(test)]
mod tests {
    use super::Caps;
    use crate::readahead::parameters::Parameters;

    #[test]
    fn a_loss_halves_what_waits_and_calm_brings_it_back() {
        let by = Parameters::default();
        let mut caps = Caps::default();
        assert_eq!(caps.of_one(1, &by), by.pages_max);
        caps.lost(1000);
        assert_eq!((caps.of_one(1, &by), caps.of_one(4, &by)), (500, 125));
        caps.lost(500);
        assert_eq!(caps.of_one(1, &by), 250);
        (0..100).for_each(|_| caps.calm(1, &by));
        assert_eq!(caps.of_one(1, &by), by.pages_max);
    }

    #[test]
    fn free_memory_is_shared_by_the_streams() {
        let by = Parameters { readahead_ratio: 100, ..Parameters::default() };
        let mut caps = Caps::default();
        caps.set_free(600);
        assert_eq!((caps.of_one(1, &by), caps.of_one(3, &by)), (600, 200));
    }
}
