//! The windows of current Linux policies: a range that was read, with a marked page in it.

use super::{FileView, Order};

/// A readahead window, as Linux 2.6.23 and later keep it.
///
/// The last part of a window is read before it is needed. Its first page has a mark, and a read of
/// that page starts the next window. The mark belongs to the page and is lost when the page is
/// evicted.
///
/// If the file system has large folios, windows that are read ahead come in folios. Each window has
/// folios four times as large as the one before, as far as the window has room for them and they
/// are aligned to their size, and the window ends where such a folio ends. The mark then applies to
/// all pages of its folio. A window after a mark that another window left begins a page late (seen
/// on Linux 6.18, in files of up to 64 pages).
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub(super) start: u32,
    pub(super) pages: u32,
    /// The pages at its end that are read ahead.
    pub(super) ahead_pages: u32,
    /// Folios have 2^order pages.
    order: u32,
    has_large_folios: bool,
}

impl Window {
    /// No window yet. `has_large_folios`: whether the file system has large folios.
    pub(super) fn new(has_large_folios: bool) -> Self {
        Self { has_large_folios, ..Self::default() }
    }

    /// Brings in the pages of a needed window one by one, and sets the mark.
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

    /// The file is opened again: marks stay on the pages.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.has_large_folios);
    }

    /// Handles the read of a marked page: clears the mark and reads the next window ahead. For a
    /// mark of another window, the new window begins after the resident pages.
    ///
    /// `wanted_end` is the end of the read.
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
            // The kernel's search begins within the folio, and is one page off from there on.
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

    /// Shortens the window to the end of a folio of this size, unless nothing would be left.
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

    /// Brings in the pages that are not resident, one by one.
    fn bring_singly(&self, start: u32, end: u32, file: &FileView<'_>, order: &mut Order) {
        if start >= end {
            return;
        }
        order.bring(start, end - start, file);
        // Once folios were left, the pages that the end of the file cuts off are also missing
        // before the mark.
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

/// The number of pages of the folio that begins with a page, in a window that ends before `end`.
fn folio_pages(page: u32, end: u32, order: u32) -> u32 {
    let aligned = order.min(page.trailing_zeros());
    let fitting = (end - page).ilog2();
    1 << aligned.min(fitting)
}

/// The first window of a sequence: the size of the read, rounded up to a power of two, and then
/// enlarged.
pub(super) fn first_pages(wanted: u32, pages_max: u32) -> u32 {
    let rounded = wanted.next_power_of_two();
    match rounded {
        _ if rounded <= pages_max / 32 => 4 * rounded,
        _ if rounded <= pages_max / 4 => 2 * rounded,
        _ => pages_max,
    }
}

/// The size of the window after one of `pages`.
fn next_pages(pages: u32, pages_max: u32) -> u32 {
    match pages {
        _ if pages < pages_max / 16 => 4 * pages,
        _ if pages <= pages_max / 2 => 2 * pages,
        _ => pages_max,
    }
}
