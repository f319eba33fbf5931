//! The windows that today's policies share: a range that was read, with a marked page in it.

use super::{FileView, Order};

/// A readahead window, as Linux 2.6.23 and later keep it.
///
/// The last part of a window is read before it is needed; its first page bears a mark, and whoever
/// reads that page has the next window read. A mark is the page's, and goes with it.
///
/// Where the file system has large folios, windows that are read ahead come in folios of four times
/// as many pages each time, as far as the window has room for them and they are aligned to their
/// size, and end where such a folio ends. The mark is then one for all pages of its folio, and the
/// window behind one that another window left behind begins a page late (seen on Linux 6.18,
/// in files of up to 64 pages).
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub(super) start: u32,
    pub(super) pages: u32,
    /// Pages at its end that are read ahead.
    pub(super) ahead_pages: u32,
    /// A folio has 2^order pages.
    order: u32,
    has_large_folios: bool,
}

impl Window {
    /// No window yet, on a file system that has large folios, or none.
    pub(super) fn new(has_large_folios: bool) -> Self {
        Self { has_large_folios, ..Self::default() }
    }

    /// Brings in, page by page, what somebody waits for, and marks it.
    pub(super) fn open(
        &mut self,
        start: u32,
        pages: u32,
        ahead_pages: u32,
        file: &FileView<'_>,
        order: &mut Order,
    ) {
        (self.start, self.pages, self.ahead_pages, self.order) = (start, pages, ahead_pages, 0);
        self.submit(file, order);
    }

    /// The file was opened anew: marks are on pages and stay there.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.has_large_folios);
    }

    /// A page with a mark is read, which is taken away: the next window, all of it ahead. A mark
    /// that another window left behind makes a window behind what is resident from there on.
    ///
    /// `wanted_end` is where the read ends.
    pub(super) fn go_on(
        &mut self,
        page: u32,
        wanted_end: u32,
        pages_max: u32,
        file: &FileView<'_>,
        order: &mut Order,
    ) {
        let folio = file.folio(page);
        order.unmark = Some(folio.start);
        let mark = self.start.wrapping_add(self.pages).wrapping_sub(self.ahead_pages);
        if folio.start == mark - mark % folio.len() as u32 {
            self.start = self.start.saturating_add(self.pages);
            self.pages = next_pages(self.pages, pages_max);
        } else {
            let after = folio.start + 1;
            let missing = (after..).find(|each| !file.is_resident(*each)).unwrap_or(u32::MAX - 1);
            // The kernel begins to look within the folio, and is one page behind from there on.
            let missing = missing + u32::from(folio.len() > 1);
            if missing - folio.start > pages_max {
                return;
            }
            self.pages = next_pages(missing + wanted_end - 2 * folio.start, pages_max);
            self.start = missing;
        }
        if self.has_large_folios {
            self.order += 2;
            self.end_aligned(1 << self.order.min(pages_max.trailing_zeros()));
        }
        self.ahead_pages = self.pages;
        self.submit(file, order);
    }

    /// Cuts the window off where a folio of so many pages would end, if that leaves something.
    fn end_aligned(&mut self, folio_pages: u32) {
        let end = self.start.saturating_add(self.pages);
        let aligned = end - end % folio_pages;
        if aligned > self.start {
            self.pages = aligned - self.start;
        }
    }

    fn submit(&mut self, file: &FileView<'_>, order: &mut Order) {
        let mark = self.start.saturating_add(self.pages - self.ahead_pages);
        let end = self.start.saturating_add(self.pages).min(file.pages());
        self.order = self.order.min(self.pages.max(1).ilog2());
        let mut page = self.start;
        while self.order > 0 && page < end {
            let pages = folio_pages(page, end, self.order);
            if (page..page + pages).any(|each| file.is_resident(each)) {
                break;
            }
            if page == mark - mark % pages {
                order.mark = Some(page);
            }
            order.bring_folio(page, pages);
            page += pages;
        }
        self.bring_singly(page, end, file, order);
    }

    /// Brings in pages one by one, what is not resident yet.
    fn bring_singly(&self, start: u32, end: u32, file: &FileView<'_>, order: &mut Order) {
        if start >= end {
            return;
        }
        order.bring(start, end - start, file);
        // What the end of the file cuts off is missing before the mark, too, once folios were left.
        let mark = if start == self.start {
            self.start + (self.pages - self.ahead_pages)
        } else {
            end.wrapping_sub(self.ahead_pages)
        };
        if self.ahead_pages > 0 && (start..end).contains(&mark) && !file.is_resident(mark) {
            order.mark = Some(mark);
        }
    }
}

/// Pages of the folio that begins with a page, of a window that ends before `end`.
fn folio_pages(page: u32, end: u32, order: u32) -> u32 {
    let aligned = order.min(page.trailing_zeros());
    let fitting = (end - page).ilog2();
    1 << aligned.min(fitting)
}

/// The first window of a sequence: the read itself, rounded up to a power of two, and some more.
pub(super) fn first_pages(wanted: u32, pages_max: u32) -> u32 {
    let rounded = wanted.next_power_of_two();
    match rounded {
        _ if rounded <= pages_max / 32 => 4 * rounded,
        _ if rounded <= pages_max / 4 => 2 * rounded,
        _ => pages_max,
    }
}

/// The window after one of so many pages.
fn next_pages(pages: u32, pages_max: u32) -> u32 {
    match pages {
        _ if pages < pages_max / 16 => 4 * pages,
        _ if pages <= pages_max / 2 => 2 * pages,
        _ => pages_max,
    }
}
