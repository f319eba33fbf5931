//! Current readahead for reads: Linux 2.6.23 and later, with the rules of Linux 6.
//!
//! Nothing happens while pages are resident and unmarked. A missing page
//!
//! * at the file's beginning, in order with the read before, or of a read larger than the window:
//!   opens a window, the read's length made larger (one page of 128 KiB: 4 pages);
//! * after more consecutive resident pages than are wanted: the file was read sequentially here,
//!   perhaps by another descriptor. The window is as long as that history, or twice as long if the
//!   history reaches to the file's beginning;
//! * any other: comes in alone, and the window stays as it was.
//!
//! A read of a marked page starts the next window, which is two or four times as long. It comes in
//! single pages or, on a file system with large folios, in folios. Since Linux 6.16, windows end
//! where folios end; ext4 has large folios since then.

use super::markers::{Window, first_pages};
use super::{DEFAULT_WINDOW_PAGES, FileView, Order, Readahead};

/// Current readahead for reads.
#[derive(Clone, Debug)]
pub struct OnDemand {
    pages_max: u32,
    window: Window,
    /// Where the previous read ended: the page after its last one.
    ended: Option<u32>,
}

impl OnDemand {
    /// Readahead with a device's window in pages (`read_ahead_kb`); sequential advice doubles it.
    ///
    /// # Panics
    ///
    /// If it is 0: use [`super::NoReadahead`].
    #[must_use]
    pub fn new(pages_max: u32) -> Self {
        assert!(pages_max > 0);
        Self { pages_max, window: Window::default(), ended: None }
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

    fn missing(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order) {
        let follows = self.ended.is_some_and(|ended| page.wrapping_sub(ended) <= 1);
        if page == 0 || wanted > self.pages_max || follows {
            let pages = first_pages(wanted, self.pages_max);
            let ahead = if pages > wanted { pages - wanted } else { pages / 2 };
            return self.window.open(page, pages, ahead, file, order);
        }
        let oldest = page.saturating_sub(self.pages_max);
        let resident = (oldest..page).rev().take_while(|each| file.is_resident(*each));
        let unbroken = resident.count() as u32;
        // The kernel's search begins at the first page of the folio, and is off by that many pages
        // from there on.
        let behind = if unbroken > 0 { page - 1 - file.folio(page - 1).start } else { 0 };
        let history = unbroken.saturating_sub(behind);
        if history <= wanted {
            return order.bring(page, wanted, file);
        }
        let from_the_beginning = history == page;
        let trusted = if from_the_beginning { 2 * history } else { history };
        self.window.open(page, (trusted + wanted).min(self.pages_max), 1, file, order);
    }
}

impl Default for OnDemand {
    fn default() -> Self {
        Self::new(DEFAULT_WINDOW_PAGES)
    }
}

impl Readahead for OnDemand {
    fn open(&mut self) {
        self.window.forget();
        self.ended = None;
    }

    fn read(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order) {
        if !file.is_resident(page) {
            self.missing(page, wanted, file, order);
        } else if file.is_ahead(page) {
            self.window.go_on(page, page + wanted, self.pages_max, file, order);
        }
        self.ended = Some(page + wanted);
    }
}
