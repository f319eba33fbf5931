//! Today's readahead for reads: Linux 2.6.23 and later, the rules as of Linux 6.
//!
//! Nothing happens while pages are resident and unmarked. A missing page
//!
//! * at the file's beginning, in order with the read before, or of a read larger than the window:
//!   opens a window, the read's length made larger (one page of 128 KiB: 4 pages);
//! * behind pages that are resident in unbroken order, more of them than are wanted: somebody has
//!   read here in order, on another descriptor perhaps; the window is as long as that history,
//!   twice as long where it reaches to the file's beginning;
//! * any other: comes in alone, and the window stays as it was.
//!
//! A marked page has the next window read, twice or four times as long: in single pages, or, where
//! the file system has large folios (since Linux 6.16 with windows that end where folios end; ext4
//! has them since then), in these.

use super::markers::{Window, first_pages};
use super::{DEFAULT_WINDOW_PAGES, FileView, Order, Readahead};

/// Today's readahead for reads.
#[derive(Clone, Debug)]
pub struct OnDemand {
    pages_max: u32,
    window: Window,
    /// Where the read before ended: the page behind the last one that it took.
    ended: Option<u32>,
}

impl OnDemand {
    /// A device's window in pages (`read_ahead_kb`); sequential advice doubles it.
    ///
    /// # Panics
    /// If it is 0: that is [`super::NoReadahead`].
    #[must_use]
    pub fn new(pages_max: u32) -> Self {
        assert!(pages_max > 0);
        Self { pages_max, window: Window::default(), ended: None }
    }

    /// The same on a file system with large folios.
    ///
    /// # Panics
    /// If it is 0: that is [`super::NoReadahead`].
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
        // The kernel begins to look at its folio's first page, and is so many behind from there on.
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
