//! First in, first out.

use super::counts::{Marks, RESIDENT};
use super::{Cache, Counts};
use crate::trace::Access;

/// The page goes that came in first, however much it is used.
#[derive(Clone, Debug)]
pub struct Fifo {
    marks: Marks,
    /// A ring of what is resident.
    frames: Vec<u32>,
    capacity_pages: usize,
    /// Where the oldest stands once the ring is full.
    oldest: usize,
}

impl Fifo {
    /// A cache of so many pages for a world of `pages`.
    ///
    /// # Panics
    /// If the cache holds no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        assert!(capacity_pages > 0);
        let capacity_pages = capacity_pages as usize;
        Self { marks: Marks::new(pages), frames: Vec::new(), capacity_pages, oldest: 0 }
    }

    fn come_in(&mut self, page: u32) {
        if self.frames.len() < self.capacity_pages {
            return self.frames.push(page);
        }
        let frame = &mut self.frames[self.oldest];
        self.marks.evict(std::mem::replace(frame, page));
        self.oldest = (self.oldest + 1) % self.capacity_pages;
    }
}

impl Cache for Fifo {
    #[inline]
    fn access(&mut self, page: u32, access: Access) -> bool {
        let was_resident = self.marks.demand(page, access);
        if !was_resident {
            self.come_in(page);
        }
        was_resident
    }

    fn read_ahead(&mut self, page: u32) -> bool {
        let was_resident = self.marks.read_ahead(page);
        if !was_resident {
            self.come_in(page);
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
        self.capacity_pages as u32
    }
}
