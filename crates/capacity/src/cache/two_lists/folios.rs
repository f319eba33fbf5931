//! Which pages form a folio: they came in together and are evicted together.

use std::ops::Range;

/// The folios of a world. At first every page is a folio of its own.
#[derive(Clone, Debug)]
pub(super) struct Folios {
    /// The first page of each page's folio.
    heads: Vec<u32>,
    /// The number of pages of the folio that begins here.
    pages: Vec<u32>,
}

impl Folios {
    pub(super) fn new(pages: u32) -> Self {
        Self { heads: (0..pages).collect(), pages: vec![1; pages as usize] }
    }

    #[inline]
    pub(super) fn head(&self, page: u32) -> u32 {
        self.heads[page as usize]
    }

    /// The folio that begins with this page.
    #[inline]
    pub(super) fn of_head(&self, head: u32) -> Range<u32> {
        debug_assert!(self.head(head) == head);
        head..head + self.pages[head as usize]
    }

    #[inline]
    pub(super) fn pages(&self, head: u32) -> u32 {
        self.pages[head as usize]
    }

    /// Joins single pages to one folio.
    pub(super) fn join(&mut self, pages: &Range<u32>) {
        for page in pages.clone() {
            debug_assert!(self.of_head(page).len() == 1);
            self.heads[page as usize] = pages.start;
        }
        self.pages[pages.start as usize] = pages.len() as u32;
    }

    /// Splits a folio into single pages.
    #[inline]
    pub(super) fn part(&mut self, folio: &Range<u32>) {
        if folio.len() > 1 {
            folio.clone().for_each(|page| self.heads[page as usize] = page);
        }
        self.pages[folio.start as usize] = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Folios;

    #[test]
    fn pages_are_joined_and_parted() {
        let mut folios = Folios::new(10);
        folios.join(&(4..8));
        assert_eq!((folios.head(3), folios.head(6), folios.pages(4)), (3, 4, 4));
        assert_eq!(folios.of_head(4), 4..8);
        folios.part(&(4..8));
        assert_eq!((folios.head(6), folios.pages(6), folios.pages(4)), (6, 1, 1));
    }
}
