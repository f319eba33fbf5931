//! No readahead.

use super::{FileView, Order, Readahead};

/// Each page comes in when it is needed and alone: random-access advice, on any Linux.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoReadahead;

impl Readahead for NoReadahead {
    fn open(&mut self) {}

    fn read(&mut self, _: u32, _: u32, _: &FileView<'_>, _: &mut Order) {}

    /// What is used at random is not worth to be noticed.
    fn unmapped(&mut self, _: &[u32]) -> Vec<u32> {
        Vec::new()
    }
}
