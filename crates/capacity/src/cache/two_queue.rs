//! 2Q, the full version of Johnson and Shasha (1994).

use super::counts::{FREE_MARK, Marks};
use super::list::{Links, List};
use super::replacement::Replacement;
use crate::trace::Access;

/// The page is in the main queue.
const HOT: u8 = FREE_MARK;
/// The page was evicted, but its number is remembered.
const REMEMBERED: u8 = FREE_MARK << 1;

/// New pages enter a short FIFO queue. The numbers of pages that leave it are remembered for a
/// while. A page that is used again in that time enters the main queue, which is LRU. A page that
/// is used again while in the short queue stays there, because uses close together say little.
///
/// The short queue has a quarter of the pages, and half as many numbers are remembered as there are
/// pages: the authors' choice.
#[derive(Clone, Debug)]
pub struct TwoQueue {
    capacity_pages: u32,
    marks: Marks,
    links: Links,
    new: List,
    remembered: List,
    hot: List,
}

impl TwoQueue {
    /// A cache of `capacity_pages` in a world of `pages`.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        let (marks, links) = (Marks::new(capacity_pages, pages), Links::new(pages));
        let [new, remembered, hot] = [(); 3].map(|()| List::new());
        Self { capacity_pages, marks, links, new, remembered, hot }
    }

    fn new_pages_max(&self) -> u32 {
        (self.capacity_pages / 4).max(1)
    }

    fn remembered_max(&self) -> u32 {
        (self.capacity_pages / 2).max(1)
    }

    fn make_room(&mut self) {
        if self.new.length() + self.hot.length() < self.capacity_pages {
            return;
        }
        let from_new = self.new.length() > self.new_pages_max() || self.hot.length() == 0;
        if !from_new {
            let oldest = self.hot.pop_tail(&mut self.links).expect("the main queue has a page");
            return self.marks.evict(oldest);
        }
        let oldest = self.new.pop_tail(&mut self.links).expect("a full cache has a page");
        self.marks.evict(oldest);
        self.marks.set(oldest, REMEMBERED);
        self.remembered.push_head(&mut self.links, oldest);
        if self.remembered.length() > self.remembered_max() {
            let forgotten = self.remembered.pop_tail(&mut self.links).expect("it has pages");
            self.marks.clear(forgotten, REMEMBERED);
        }
    }
}

impl Replacement for TwoQueue {
    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn marks_mut(&mut self) -> &mut Marks {
        &mut self.marks
    }

    #[inline]
    fn used_again(&mut self, page: u32, _: Access) {
        if self.marks.has(page, HOT) {
            self.hot.move_to_head(&mut self.links, page);
        }
    }

    fn admit(&mut self, page: u32, _: Option<Access>) {
        if self.marks.has(page, REMEMBERED) {
            self.marks.clear(page, REMEMBERED);
            self.remembered.remove(&mut self.links, page);
            self.make_room();
            self.marks.set(page, HOT);
            self.hot.push_head(&mut self.links, page);
        } else {
            self.make_room();
            self.new.push_head(&mut self.links, page);
        }
    }
}
