//! CLOCK: first in, first out with a second chance.

use super::counts::{FREE_MARK, Marks};
use super::replacement::Replacement;
use crate::trace::Access;

const REFERENCED: u8 = FREE_MARK;

/// A hand goes round the frames. A page that was used since the hand last passed stays for another
/// round. A new page is not marked as used, so its first use gives it no second chance.
#[derive(Clone, Debug)]
pub struct Clock {
    marks: Marks,
    frames: Vec<u32>,
    capacity_pages: usize,
    hand: usize,
}

impl Clock {
    /// A cache of `capacity_pages` in a world of `pages`.
    ///
    /// # Panics
    ///
    /// If the cache has no page.
    #[must_use]
    pub fn new(capacity_pages: u32, pages: u32) -> Self {
        let marks = Marks::new(capacity_pages, pages);
        Self { marks, frames: Vec::new(), capacity_pages: capacity_pages as usize, hand: 0 }
    }

    fn step(&mut self) {
        self.hand += 1;
        if self.hand == self.capacity_pages {
            self.hand = 0;
        }
    }
}

impl Replacement for Clock {
    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn marks_mut(&mut self) -> &mut Marks {
        &mut self.marks
    }

    #[inline]
    fn used_again(&mut self, page: u32, _: Access) {
        self.marks.set(page, REFERENCED);
    }

    fn admit(&mut self, page: u32, _: Option<Access>) {
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
}
