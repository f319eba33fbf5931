//! No readahead.

use super::{FileView, Order, Readahead};

/// Each page comes in alone when it is needed: random-access advice, on any Linux.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoReadahead;

impl Readahead for NoReadahead {
    fn open(&mut self) {}

    fn read(&mut self, _: u32, _: u32, _: &FileView<'_>, _: &mut Order) {}

    /// The kernel does not regard pages of a random-access mapping as used.
    fn unmapped(&mut self, _: &[u32]) -> Vec<u32> {
        Vec::new()
    }
}
