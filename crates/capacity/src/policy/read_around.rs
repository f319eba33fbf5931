//! Today's readahead for mappings: Linux 6.
//!
//! A fault on a missing page reads a whole window around it, the page in the middle, a quarter of
//! it ahead. A fault maps the resident ones of the sixteen pages around it too, all but one with a
//! mark, so that these do not fault; to the kernel they are used all the same (on x86; other
//! processors tell which of them were).
//!
//! A counter goes up with each missing page and down with each that is found or mapped along; above
//! 100 the window stays closed and pages come in alone. It goes no higher than 1,000. Since what
//! comes in along with a missing page is mapped along, too, it hardly rises, unless the kernel is
//! told to map nothing along. All of it is forgotten when the file is closed.

use std::collections::BTreeSet;

use super::markers::Window;
use super::{DEFAULT_WINDOW_PAGES, FileView, Order, Readahead};

const MISSES_TOO_MANY: u32 = 100;
const MISSES_MAX: u32 = 1000;
/// Pages that one fault looks at to map them along, 64 KiB of addresses (`fault_around_bytes`).
const FAULT_AROUND_PAGES: u32 = 16;

/// Today's readahead for mappings, without advice.
#[derive(Clone, Debug)]
pub struct ReadAround {
    pages_max: u32,
    /// Pages that one fault looks at to map them along.
    around_pages: u32,
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
        Self {
            pages_max,
            around_pages: FAULT_AROUND_PAGES,
            window: Window::default(),
            misses: 0,
            mapped: BTreeSet::new(),
        }
    }

    /// The same on a file system with large folios.
    ///
    /// # Panics
    /// If it is 0: that is [`super::NoReadahead`].
    #[must_use]
    pub fn with_large_folios(pages_max: u32) -> Self {
        Self { window: Window::new(true), ..Self::new(pages_max) }
    }

    /// No page is mapped along with another.
    #[must_use]
    pub fn mapped_alone(self) -> Self {
        Self { around_pages: 1, ..self }
    }

    fn missing(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        self.misses = (self.misses + 1).min(MISSES_MAX);
        if self.misses > MISSES_TOO_MANY {
            return;
        }
        let start = page.saturating_sub(self.pages_max / 2);
        self.window.open(start, self.pages_max, self.pages_max / 4, file, order);
    }

    /// A page that is resident and was not mapped along with another.
    fn found(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        self.misses = self.misses.saturating_sub(1);
        if file.is_ahead(page) {
            let wanted_end = page + self.pages_max;
            self.window.go_on(page, wanted_end, self.pages_max, file, order);
        }
    }

    /// Maps what is resident around a page that is touched, or will be when the order is done.
    fn map_around(&mut self, page: u32, file: &FileView<'_>, order: &Order) {
        let offset = page % self.around_pages;
        let first = page.saturating_sub(offset);
        let around = first..(page + self.around_pages - offset).min(file.pages());
        for each in around {
            let is_marked = match order.mark {
                Some(mark) if mark == each => true,
                _ => file.is_ahead(each) && order.unmark != Some(file.folio(each).start),
            };
            if !is_marked && (file.is_resident(each) || order.brings(each)) {
                self.mapped.insert(each);
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
            self.mapped.remove(&page);
            self.missing(page, file, order);
        } else if self.mapped.contains(&page) {
            return;
        } else if file.is_ahead(page) || self.around_pages == 1 {
            self.found(page, file, order);
        }
        if self.around_pages > 1 {
            self.map_around(page, file, order);
        }
        self.mapped.insert(page);
    }

    fn unmapped(&mut self, _: &[u32]) -> Vec<u32> {
        std::mem::take(&mut self.mapped).into_iter().collect()
    }
}
