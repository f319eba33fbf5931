//! Current readahead for mappings: Linux 6.
//!
//! A fault on a missing page reads a whole window around it, with the page in the middle; the last
//! quarter is read ahead. A fault also maps the resident pages among the sixteen around it, except
//! one with a mark, so that these do not fault. The kernel regards them all as used (on x86; other
//! processors tell which were).
//!
//! A counter goes up with each missing page, and down with each page that is found or mapped along.
//! Above 100, no window is read, and pages come in alone. Its maximum is 1,000. Pages that come in
//! with a missing page are mapped along, too, so the counter hardly rises unless the kernel is told
//! to map nothing along. This state is lost when the file is closed.

use std::collections::BTreeSet;

use super::markers::Window;
use super::{DEFAULT_WINDOW_PAGES, FileView, Order, Readahead};

const MISSES_TOO_MANY: u32 = 100;
const MISSES_MAX: u32 = 1000;
/// Pages that a fault may map along: 64 KiB of addresses (`fault_around_bytes`).
const FAULT_AROUND_PAGES: u32 = 16;

/// Current readahead for mappings, without advice.
#[derive(Clone, Debug)]
pub struct ReadAround {
    pages_max: u32,
    /// Pages that a fault may map along.
    around_pages: u32,
    window: Window,
    /// Faults on missing pages, minus other faults and mapped pages.
    misses: u32,
    /// Mapped pages, which need no fault.
    mapped: BTreeSet<u32>,
}

impl ReadAround {
    /// Readahead with a device's window in pages (`read_ahead_kb`).
    ///
    /// # Panics
    ///
    /// If it is 0: use [`super::NoReadahead`].
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
    ///
    /// If it is 0: use [`super::NoReadahead`].
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

    /// A fault on a page that is resident and was not mapped along.
    fn found(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        self.misses = self.misses.saturating_sub(1);
        if file.is_ahead(page) {
            let wanted_end = page + self.pages_max;
            self.window.go_on(page, wanted_end, self.pages_max, file, order);
        }
    }

    /// Maps the pages around a touched page that are resident, or will be after the order.
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
