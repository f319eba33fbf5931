//! The part of a page cache that differs among policies; the rest is shared.

use std::ops::Range;

use super::counts::{AHEAD, Marks, RESIDENT};
use super::{Cache, Counts};
use crate::trace::Access;

/// A replacement policy: decides which pages stay and which are evicted. It keeps the marks of its
/// pages beside its own order.
///
/// Code outside of this module cannot name it, so every [`Cache`] is defined here.
pub trait Replacement {
    /// The marks of all pages.
    fn marks(&self) -> &Marks;

    /// The marks of all pages, for changing them.
    fn marks_mut(&mut self) -> &mut Marks;

    /// A resident page is used; it is already counted.
    fn used_again(&mut self, page: u32, access: Access);

    /// A page comes in for an access, or by readahead (`None`). If the cache is full, another page
    /// is evicted. The page is already counted and marked as resident.
    fn admit(&mut self, page: u32, access: Option<Access>);

    /// Treats a resident page as if it had just come in, if the policy has such an order.
    fn put_first(&mut self, page: u32) {
        let _ = page;
    }

    /// A page is used in a way that the kernel does not notice; it is already counted and marked as
    /// resident. By default this is an ordinary use.
    fn used_unseen(&mut self, page: u32, access: Access, was_resident: bool) {
        if was_resident {
            self.used_again(page, access);
        } else {
            self.admit(page, Some(access));
        }
    }

    /// A resident page was used while mapped, and is unmapped now.
    fn was_mapped(&mut self, page: u32) {
        let _ = page;
    }

    /// Pages come in as one folio by readahead; they are already counted and marked as resident. By
    /// default they come in one by one.
    fn admit_folio(&mut self, pages: Range<u32>) {
        pages.for_each(|page| self.admit(page, None));
    }

    /// The folio of a page.
    #[inline]
    fn folio_of(&self, page: u32) -> Range<u32> {
        page..page + 1
    }

    /// A dirty page became clean.
    fn written_back(&mut self, page: u32) {
        let _ = page;
    }
}

impl<P: Replacement> Cache for P {
    #[inline]
    fn access(&mut self, page: u32, access: Access) -> bool {
        let was_resident = self.marks_mut().demand(page, access);
        if was_resident {
            self.used_again(page, access);
        } else {
            self.admit(page, Some(access));
        }
        was_resident
    }

    fn read_ahead(&mut self, page: u32) -> bool {
        let was_resident = self.marks_mut().read_ahead(page);
        if !was_resident {
            self.admit(page, None);
        }
        was_resident
    }

    fn access_unseen(&mut self, page: u32, access: Access) -> bool {
        let was_resident = self.marks_mut().demand(page, access);
        self.used_unseen(page, access, was_resident);
        was_resident
    }

    fn was_used_mapped(&mut self, page: u32) {
        if self.is_resident(page) {
            self.was_mapped(page);
        }
    }

    fn read_ahead_folio(&mut self, pages: Range<u32>) {
        for page in pages.clone() {
            let was_resident = self.marks_mut().read_ahead(page);
            assert!(!was_resident, "a folio has no place where a page is");
        }
        self.admit_folio(pages);
    }

    fn folio(&self, page: u32) -> Range<u32> {
        self.folio_of(page)
    }

    fn set_ahead(&mut self, page: u32, ahead: bool) {
        let head = self.folio_of(page).start;
        if !ahead {
            self.marks_mut().clear(head, AHEAD);
        } else if self.is_resident(head) {
            self.marks_mut().set(head, AHEAD);
        }
    }

    fn is_ahead(&self, page: u32) -> bool {
        self.marks().has(self.folio_of(page).start, AHEAD)
    }

    fn keep(&mut self, page: u32) {
        if self.is_resident(page) {
            self.put_first(page);
        }
    }

    fn is_resident(&self, page: u32) -> bool {
        self.marks().has(page, RESIDENT)
    }

    fn write_back(&mut self, page: u32) {
        if self.marks_mut().write_back(page) {
            self.written_back(page);
        }
    }

    fn write_back_all(&mut self) -> u64 {
        let dirty = self.marks_mut().take_dirty();
        dirty.iter().for_each(|page| self.write_back(*page));
        dirty.len() as u64
    }

    fn counts(&self) -> Counts {
        self.marks().counts()
    }

    fn pages(&self) -> u32 {
        self.marks().pages()
    }

    fn capacity_pages(&self) -> u32 {
        self.marks().capacity_pages()
    }
}
