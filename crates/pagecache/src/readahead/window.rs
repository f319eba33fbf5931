//! How far one stream is ahead of its reader.

use crate::readahead::parameters::Parameters;

/// The window of a file that is read from its start grows faster until it has this many pages.
const FAST_PAGES: u64 = 256;
/// This many reads may still use pages that the reader has passed, because several threads read out
/// of order.
const LATE_READS: u64 = 8;
/// Reading fewer pages ahead is not worth a call.
const PAGES_MIN: u64 = 4;

/// The window of one stream, and how its pages were used. All counts are in pages.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// The size of the window; 0 before the first request.
    pages: u64,
    /// Whether the file is read from its start.
    fast: bool,
    /// Recently read ahead.
    asked: u64,
    /// Recently used.
    used: u64,
    /// Consecutive pages found in memory.
    resident: u64,
}

impl Window {
    pub(crate) fn new(fast: bool) -> Self {
        Self { pages: 0, fast, asked: 0, used: 0, resident: 0 }
    }

    /// Whether to ask for more: the reader has at most half of the window left. So disk and reader
    /// work at the same time.
    pub(crate) fn past_mark(&self, outstanding: u64) -> bool {
        outstanding <= self.pages / 2
    }

    /// The number of pages to ask for, when `outstanding` pages wait and reads have `read` pages.
    pub(crate) fn ask(&mut self, outstanding: u64, read: u64, cap: u64, by: &Parameters) -> u64 {
        let passed = self.asked.saturating_sub(outstanding);
        let patience = by.first_pages + LATE_READS * read;
        if passed > self.used * by.readahead_hit_rate + patience {
            self.pages /= 2;
        } else {
            let factor = if self.fast && self.pages < FAST_PAGES { 4 } else { 2 };
            self.pages = (self.pages * factor).max(by.first_pages).max(2 * read);
        }
        self.pages = self.pages.min(cap);
        if self.pages < PAGES_MIN {
            return 0;
        }
        self.pages.saturating_sub(outstanding)
    }

    /// Records that this many pages are read ahead.
    pub(crate) fn asked(&mut self, pages: u64, by: &Parameters) {
        self.asked += pages;
        if self.asked > 4 * by.pages_max {
            // Older counts get less weight.
            (self.asked, self.used) = (self.asked / 2, self.used / 2);
        }
    }

    pub(crate) fn used(&mut self, pages: u64) {
        self.used += pages;
    }

    /// Whether pages were asked for and none was ever used.
    pub(crate) fn is_barren(&self) -> bool {
        self.asked > 0 && self.used == 0
    }

    /// Whether so many pages were found in memory that asking is useless.
    pub(crate) fn is_silent(&self, by: &Parameters) -> bool {
        self.resident >= by.resident_pages_max
    }

    pub(crate) fn resident(&mut self, pages: u64) {
        self.resident += pages;
    }

    pub(crate) fn missing(&mut self) {
        self.resident = 0;
    }

    /// Records that pages were evicted: they are asked for again, and are not counted twice.
    pub(crate) fn lost(&mut self, pages: u64) {
        self.asked = self.asked.saturating_sub(pages);
        self.missing();
    }
}

#[cfg(test)]
mod tests {
    use super::Window;
    use crate::readahead::parameters::Parameters;

    /// The windows of a reader that uses all pages.
    fn windows(fast: bool, cap: u64) -> Vec<u64> {
        let by = Parameters::default();
        let mut window = Window::new(fast);
        let mut ask = || {
            let pages = window.ask(0, 1, cap, &by);
            window.asked(pages, &by);
            window.used(pages);
            pages
        };
        (0..8).map(|_| ask()).collect()
    }

    #[test]
    fn windows_grow_up_to_the_cap_and_faster_from_the_start_of_a_file() {
        assert_eq!(windows(false, 2048), [32, 64, 128, 256, 512, 1024, 2048, 2048]);
        assert_eq!(windows(true, 2048), [32, 128, 512, 1024, 2048, 2048, 2048, 2048]);
        assert_eq!(windows(true, 100), [32, 100, 100, 100, 100, 100, 100, 100]);
    }

    #[test]
    fn who_uses_nothing_is_asked_less_and_less() {
        let by = Parameters::default();
        let mut window = Window::new(false);
        let mut ask = || {
            let pages = window.ask(0, 1, 2048, &by);
            window.asked(pages, &by);
            pages
        };
        let asked: Vec<u64> = (0..7).map(|_| ask()).collect();
        assert_eq!(asked, [32, 64, 32, 16, 8, 4, 0]);
        assert!(window.is_barren());
    }
}
