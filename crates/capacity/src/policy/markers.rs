//! The windows that today's policies share: a range that was read, with a marked page in it.

use super::{FileView, Order};

/// A readahead window with its marks, as Linux 2.6.23 and later keep it.
///
/// The last part of a window is read before it is needed; its first page bears a mark, and whoever
/// reads that page has the next window read. A mark goes with its page.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub(super) start: u32,
    pub(super) pages: u32,
    /// Pages at its end that are read ahead.
    pub(super) ahead_pages: u32,
    /// Marked pages; few, since a reader takes a mark away when it comes there.
    marks: Vec<u32>,
}

/// Marks kept: those of windows that nobody came to are forgotten after so many.
const MARKS_MAX: usize = 16;

impl Window {
    /// Brings the window in and marks it.
    pub(super) fn submit(&mut self, file: &FileView<'_>, order: &mut Order) {
        order.bring(self.start, self.pages, file);
        let mark = self.start.saturating_add(self.pages - self.ahead_pages);
        if self.ahead_pages > 0 && mark < file.pages() && !file.is_resident(mark) {
            self.marks.retain(|each| *each != mark);
            if self.marks.len() == MARKS_MAX {
                self.marks.remove(0);
            }
            self.marks.push(mark);
        }
    }

    /// The file was opened anew: marks are on pages and stay there.
    pub(super) fn forget(&mut self) {
        (self.start, self.pages, self.ahead_pages) = (0, 0, 0);
    }

    /// Takes a page's mark away, if it has one.
    pub(super) fn take_mark(&mut self, page: u32) -> bool {
        let place = self.marks.iter().position(|mark| *mark == page);
        place.map(|place| self.marks.swap_remove(place)).is_some()
    }

    /// The reader came to a mark: the next window, all of it ahead. A mark that another window left
    /// behind makes a window behind what is resident from there on.
    pub(super) fn go_on(
        &mut self,
        page: u32,
        wanted: u32,
        pages_max: u32,
        file: &FileView<'_>,
        order: &mut Order,
    ) {
        if page == self.start.wrapping_add(self.pages).wrapping_sub(self.ahead_pages) {
            self.start = self.start.saturating_add(self.pages);
        } else {
            let missing = (page + 1..).find(|each| !file.is_resident(*each)).unwrap_or(u32::MAX);
            if missing - page > pages_max {
                return;
            }
            self.pages = missing - page + wanted;
            self.start = missing;
        }
        self.pages = next_pages(self.pages, pages_max);
        self.ahead_pages = self.pages;
        self.submit(file, order);
    }
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
