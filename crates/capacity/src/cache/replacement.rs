//! What policies differ in; the rest of a page cache is written once.

use super::counts::{Marks, RESIDENT};
use super::{Cache, Counts};
use crate::trace::Access;

/// Which pages stay, which go: one policy. It keeps the marks of its pages beside its own order.
///
/// Nobody outside can name it: what is a [`Cache`] is made here.
pub trait Replacement {
    /// The marks of all pages.
    fn marks(&self) -> &Marks;

    /// The same, to change them.
    fn marks_mut(&mut self) -> &mut Marks;

    /// A resident page is used; it is counted already.
    fn used_again(&mut self, page: u32, access: Access);

    /// A page comes in, for an access or (`None`) without anybody having asked for it: if there is
    /// no room, another goes. It is counted, and marked as resident, already.
    fn admit(&mut self, page: u32, access: Option<Access>);

    /// A resident page shall be treated as if it had just come in, where the policy has such an
    /// order.
    fn put_first(&mut self, page: u32) {
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

    fn keep(&mut self, page: u32) {
        if self.is_resident(page) {
            self.put_first(page);
        }
    }

    fn is_resident(&self, page: u32) -> bool {
        self.marks().has(page, RESIDENT)
    }

    fn write_back(&mut self, page: u32) {
        self.marks_mut().write_back(page);
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
