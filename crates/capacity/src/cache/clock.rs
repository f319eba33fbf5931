//! CLOCK: first in, first out with a second chance.

use super::counts::{FREE_MARK, Marks, RESIDENT};
use super::{Cache, Counts};
use crate::trace::Access;

const REFERENCED: u8 = FREE_MARK;

/// A hand goes round the frames; a page that was used since the hand last passed stays for another
/// round. A page comes in unmarked: its first use alone earns it no second chance.
#[derive(Clone, Debug)]
pub struct Clock {
    marks: Marks,
    frames: Vec<u32>,
    capacity_pages: usize,
    hand: usize,
}

impl Clock {
    /// A cache of so many pages for a world of `pages`.
    ///
    /// # Panics
    /// If the cache holds no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        assert!(capacity_pages > 0);
        let capacity_pages = capacity_pages as usize;
        Self { marks: Marks::new(pages), frames: Vec::new(), capacity_pages, hand: 0 }
    }

    fn come_in(&mut self, page: u32) {
        if self.frames.len() < self.capacity_pages {
            return self.frames.push(page);
        }
        while self.marks.has(self.frames[self.hand], REFERENCED) {
            self.marks.clear(self.frames[self.hand], REFERENCED);
            self.step();
        }
        let victim = std::mem::replace(&mut self.frames[self.hand], page);
        self.marks.evict(victim);
        self.step();
    }

    fn step(&mut self) {
        self.hand += 1;
        if self.hand == self.capacity_pages {
            self.hand = 0;
        }
    }
}

impl Cache for Clock {
    #[inline]
    fn access(&mut self, page: u32, access: Access) -> bool {
        let was_resident = self.marks.demand(page, access);
        if was_resident {
            self.marks.set(page, REFERENCED);
        } else {
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
