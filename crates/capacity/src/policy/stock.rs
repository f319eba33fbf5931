//! The readahead of Linux 2.6 before 2.6.23: two windows for each open file.
//!
//! Two sources describe it differently, and both are simulated. The article on adaptive readahead:
//! the first window has 8 pages, each further one is doubled up to 32; a page that should have been
//! cached and is not reduces it by 2 pages, down to 4. A read out of order ends readahead, and
//! after 256 consecutive cached pages it pauses. The authors of the RRD study saw on 2.6.9 that
//! reading a file's beginning brings in 16 pages, and each random seek half as many as the one
//! before: 8, then 4.

use super::{FileView, Order, Readahead};

/// The source of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StockRules {
    /// The article on adaptive readahead.
    Article,
    /// The observations of the RRD study on 2.6.9.
    Observed,
}

/// The stock readahead of Linux 2.6.
#[derive(Clone, Debug)]
pub struct Stock {
    rules: StockRules,
    /// The page read last.
    last: Option<u32>,
    /// The size of the next window; 0 if none was opened.
    size: u32,
    /// The end of the current window, which has the reader's position.
    current_end: u32,
    /// The end of the next window, if it was read already.
    ahead_end: u32,
    /// Consecutive pages that were resident although this file's windows did not bring them in.
    cached_run: u32,
}

const PAGES_MAX: u32 = 32;
const PAGES_MIN: u32 = 4;
const CACHED_RUN_MAX: u32 = 256;

impl Stock {
    /// The state of a file that was never opened.
    #[must_use]
    pub fn new(rules: StockRules) -> Self {
        Self { rules, last: None, size: 0, current_end: 0, ahead_end: 0, cached_run: 0 }
    }

    fn first_window(&self) -> u32 {
        match self.rules {
            StockRules::Article => 8,
            StockRules::Observed => PAGES_MAX / 2,
        }
    }

    /// A sequential read: opens and advances windows.
    fn go_on(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        if self.size == 0 {
            self.size = self.first_window();
            self.open_window(page, file, order);
            return;
        }
        if page < self.ahead_end && !file.is_resident(page) {
            self.size = self.size.saturating_sub(2).max(PAGES_MIN);
            return self.open_window(page, file, order);
        }
        if page >= self.current_end {
            // The reader has reached the window that was read ahead.
            self.current_end = self.ahead_end.max(page + 1);
        }
        if self.ahead_end <= self.current_end {
            self.size = (2 * self.size).min(PAGES_MAX);
            order.bring(self.current_end, self.size, file);
            self.ahead_end = self.current_end.saturating_add(self.size);
        }
    }

    fn open_window(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        order.bring(page, self.size, file);
        self.current_end = page.saturating_add(self.size);
        self.ahead_end = self.current_end;
    }

    /// A read out of order.
    fn jump(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        self.current_end = page;
        self.ahead_end = page;
        match self.rules {
            StockRules::Article => self.size = 0,
            StockRules::Observed if file.is_resident(page) => {}
            StockRules::Observed => {
                let before = if self.size == 0 { PAGES_MAX / 2 } else { self.size };
                self.size = (before / 2).max(PAGES_MIN);
                self.open_window(page, file, order);
            }
        }
    }
}

impl Readahead for Stock {
    fn open(&mut self) {
        *self = Self::new(self.rules);
    }

    fn read(&mut self, page: u32, _: u32, file: &FileView<'_>, order: &mut Order) {
        let last = self.last.replace(page);
        if last == Some(page) {
            return;
        }
        let is_in_order = last.map_or(page == 0, |last| last + 1 == page);
        let is_cached = file.is_resident(page) && page >= self.ahead_end;
        self.cached_run = if is_cached { self.cached_run + 1 } else { 0 };
        let first_is_cached = last.is_none() && file.is_resident(page);
        if self.cached_run >= CACHED_RUN_MAX {
            self.size = 0;
        } else if !is_in_order {
            self.jump(page, file, order);
        } else if first_is_cached {
            // Readahead pauses because nothing is missing; the next sequential miss opens a window.
            (self.current_end, self.ahead_end) = (page + 1, page + 1);
        } else if self.size > 0 || !file.is_resident(page) {
            self.go_on(page, file, order);
        }
    }
}
