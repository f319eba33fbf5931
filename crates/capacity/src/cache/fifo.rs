//! First in, first out.

use super::counts::Marks;
use super::replacement::Replacement;
use crate::trace::Access;

/// Evicts the page that came in first, however much it is used.
#[derive(Clone, Debug)]
pub struct Fifo {
    marks: Marks,
    /// The resident pages, in a ring.
    frames: Vec<u32>,
    capacity_pages: usize,
    /// The position of the oldest page once the ring is full.
    oldest: usize,
}

impl Fifo {
    /// A cache of `capacity_pages` in a world of `pages`.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        let marks = Marks::new(capacity_pages, pages);
        Self { marks, frames: Vec::new(), capacity_pages: capacity_pages as usize, oldest: 0 }
    }
}

impl Replacement for Fifo {
    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn marks_mut(&mut self) -> &mut Marks {
        &mut self.marks
    }

    #[inline]
    fn used_again(&mut self, _: u32, _: Access) {}

    fn admit(&mut self, page: u32, _: Option<Access>) {
        if self.frames.len() < self.capacity_pages {
            return self.frames.push(page);
        }
        let frame = &mut self.frames[self.oldest];
        self.marks.evict(std::mem::replace(frame, page));
        self.oldest = (self.oldest + 1) % self.capacity_pages;
    }
}
