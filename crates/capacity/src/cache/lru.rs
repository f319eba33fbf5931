//! Least recently used.

use super::counts::{Marks, RESIDENT};
use super::list::{Links, List};
use super::{Cache, Counts};
use crate::trace::Access;

/// The page goes that was not used for the longest time. A page read ahead counts as used when it
/// comes in.
#[derive(Clone, Debug)]
pub struct Lru {
    capacity_pages: u32,
    marks: Marks,
    links: Links,
    list: List,
}

impl Lru {
    /// A cache of so many pages for a world of `pages`.
    ///
    /// # Panics
    /// If the cache holds no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        assert!(capacity_pages > 0);
        let (marks, links) = (Marks::new(pages), Links::new(pages));
        Self { capacity_pages, marks, links, list: List::new() }
    }

    #[inline]
    fn arrange(&mut self, page: u32, was_resident: bool) {
        if was_resident {
            return self.list.move_to_head(&mut self.links, page);
        }
        if self.list.length() == self.capacity_pages {
            let oldest = self.list.pop_tail(&mut self.links).expect("a full cache has a page");
            self.marks.evict(oldest);
        }
        self.list.push_head(&mut self.links, page);
    }
}

impl Cache for Lru {
    #[inline]
    fn access(&mut self, page: u32, access: Access) -> bool {
        let was_resident = self.marks.demand(page, access);
        self.arrange(page, was_resident);
        was_resident
    }

    fn read_ahead(&mut self, page: u32) -> bool {
        let was_resident = self.marks.read_ahead(page);
        if !was_resident {
            self.arrange(page, false);
        }
        was_resident
    }

    fn is_resident(&self, page: u32) -> bool {
        self.marks.has(page, RESIDENT)
    }

    fn write_back(&mut self, page: u32) {
        self.marks.write_back(page);
    }

    fn counts(&self) -> Counts {
        self.marks.counts()
    }

    fn pages(&self) -> u32 {
        self.marks.pages()
    }

    fn capacity_pages(&self) -> u32 {
        self.capacity_pages
    }

    fn keep(&mut self, page: u32) {
        if self.is_resident(page) {
            self.list.move_to_head(&mut self.links, page);
        }
    }
}
