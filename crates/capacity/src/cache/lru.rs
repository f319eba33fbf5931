//! Least recently used.

use super::counts::Marks;
use super::list::{Links, List};
use super::replacement::Replacement;
use crate::trace::Access;

/// Evicts the page whose last use is the longest ago. A page that is read ahead counts as used when
/// it comes in.
#[derive(Clone, Debug)]
pub struct Lru {
    capacity_pages: u32,
    marks: Marks,
    links: Links,
    list: List,
}

impl Lru {
    /// A cache of `capacity_pages` in a world of `pages`.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        let (marks, links) = (Marks::new(capacity_pages, pages), Links::new(pages));
        Self { capacity_pages, marks, links, list: List::new() }
    }
}

impl Replacement for Lru {
    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn marks_mut(&mut self) -> &mut Marks {
        &mut self.marks
    }

    #[inline]
    fn used_again(&mut self, page: u32, _: Access) {
        self.list.move_to_head(&mut self.links, page);
    }

    #[inline]
    fn admit(&mut self, page: u32, _: Option<Access>) {
        if self.list.length() == self.capacity_pages {
            let oldest = self.list.pop_tail(&mut self.links).expect("a full cache has a page");
            self.marks.evict(oldest);
        }
        self.list.push_head(&mut self.links, page);
    }

    fn put_first(&mut self, page: u32) {
        self.list.move_to_head(&mut self.links, page);
    }
}
