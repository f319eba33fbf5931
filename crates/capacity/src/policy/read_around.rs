//! Today's readahead for mappings: Linux 6.
//!
//! A fault on a missing page reads a whole window around it, the page in the middle, a quarter of it
//! ahead. A counter goes up with each missing page and down with each that a fault finds resident or
//! that is mapped along with it; above 100 the window stays closed and pages come in alone. It goes
//! no higher than 1,000. A fault maps the resident ones of the sixteen pages around it too, so that
//! these do not fault. All of it is forgotten when the file is closed.

use std::collections::BTreeSet;

use super::markers::Window;
use super::{DEFAULT_WINDOW_PAGES, FileView, Order, Readahead};

const MISSES_TOO_MANY: u32 = 100;
const MISSES_MAX: u32 = 1000;
/// Pages that one fault looks at to map them along, 64 KiB.
const FAULT_AROUND_PAGES: u32 = 16;

/// Today's readahead for mappings, without advice.
#[derive(Clone, Debug)]
pub struct ReadAround {
    pages_max: u32,
    window: Window,
    /// How much more often faults found nothing than something.
    misses: u32,
    /// Pages that need no fault any more.
    mapped: BTreeSet<u32>,
}

impl ReadAround {
    /// A device's window in pages (`read_ahead_kb`).
    ///
    /// # Panics
    /// If it is 0: that is [`super::NoReadahead`].
    #[must_use]
    pub fn new(pages_max: u32) -> Self {
        assert!(pages_max > 0);
        Self { pages_max, window: Window::default(), misses: 0, mapped: BTreeSet::new() }
    }

    fn missing(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        self.misses = (self.misses + 1).min(MISSES_MAX);
        if self.misses > MISSES_TOO_MANY {
            return;
        }
        self.window.start = page.saturating_sub(self.pages_max / 2);
        self.window.pages = self.pages_max;
        self.window.ahead_pages = self.pages_max / 4;
        self.window.submit(file, order);
    }

    /// Maps what is resident around a page that was found.
    fn map_around(&mut self, page: u32, file: &FileView<'_>) {
        let first = page - page % FAULT_AROUND_PAGES;
        let around = first..(first + FAULT_AROUND_PAGES).min(file.pages());
        for each in around.filter(|each| file.is_resident(*each)) {
            if self.mapped.insert(each) {
                self.misses = self.misses.saturating_sub(1);
            }
        }
    }
}

impl Default for ReadAround {
    fn default() -> Self {
        Self::new(DEFAULT_WINDOW_PAGES)
    }
}

impl Readahead for ReadAround {
    fn open(&mut self) {
        self.window.forget();
        self.misses = 0;
        self.mapped.clear();
    }

    fn read(&mut self, page: u32, _: u32, file: &FileView<'_>, order: &mut Order) {
        if !file.is_resident(page) {
            self.window.take_mark(page);
            self.mapped.remove(&page);
            self.missing(page, file, order);
            self.mapped.insert(page);
        } else if !self.mapped.contains(&page) {
            self.map_around(page, file);
            if self.window.take_mark(page) {
                self.window.go_on(page, self.pages_max, self.pages_max, file, order);
            }
        }
    }
}
