//! The readahead of Linux 2.6 before 2.6.23: two windows for each open file.
//!
//! Two sources tell it differently, and both are here. The article on adaptive readahead: the first
//! window has 8 pages, each further one is doubled up to 32; a page that should have been cached
//! and is not takes 2 pages off, down to 4; a read out of order ends it, and after 256 pages in a
//! row that were cached it rests. The authors of the RRD study saw on 2.6.9 that the read of a
//! file's beginning brings 16 pages, and each random seek half as many as the one before: 8, then
//! 4.

use super::{FileView, Order, Readahead};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StockRules {
    /// As the article on adaptive readahead tells it.
    Article,
    /// As the RRD study saw it on 2.6.9.
    Observed,
}

/// Stock readahead of Linux 2.6.
#[derive(Clone, Debug)]
pub struct Stock {
    rules: StockRules,
    /// The page read last.
    last: Option<u32>,
    /// Pages of the next window; 0 where none was opened.
    size: u32,
    /// The end of the current window, which the reader is in.
    current_end: u32,
    /// The end of the window ahead of it, where there is one.
    ahead_end: u32,
    /// Pages in a row that were resident without this file's windows.
    cached_run: u32,
}

const PAGES_MAX: u32 = 32;
const PAGES_MIN: u32 = 4;
const CACHED_RUN_MAX: u32 = 256;

impl Stock {
    /// A file that was never opened.
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

    /// A read in order: opens windows and moves them on.
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
            // The reader is in what was the window ahead.
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
            // Nothing is read, so nothing is read ahead; the next miss in order opens a window.
            (self.current_end, self.ahead_end) = (page + 1, page + 1);
        } else if self.size > 0 || !file.is_resident(page) {
            self.go_on(page, file, order);
        }
    }
}
