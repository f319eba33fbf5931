//! One read, in bytes and in the pages that it touches.

use std::ops::Range;

/// The direction of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// A bound on the pages of any file.
const TOP: u64 = 1 << 53;

impl Direction {
    /// Pages in the stream's coordinates, in which it always goes upward. The function is its own
    /// inverse.
    pub(crate) fn seen(self, pages: &Range<u64>) -> Range<u64> {
        match self {
            Self::Forward => pages.clone(),
            Self::Backward => TOP - pages.end..TOP - pages.start,
        }
    }

    /// The end of the file in the stream's coordinates.
    pub(crate) fn limit(self, file_pages: u64) -> u64 {
        match self {
            Self::Forward => file_pages,
            Self::Backward => TOP,
        }
    }
}

/// One read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) offset_bytes: u64,
    pub(crate) bytes: u64,
    pub(crate) pages: Range<u64>,
}

impl Access {
    /// `None` if nothing is read, or the read is beyond the largest possible file.
    pub(crate) fn new(offset_bytes: u64, bytes: u64, page_bytes: u64) -> Option<Self> {
        let end_bytes = offset_bytes.checked_add(bytes)?;
        let pages = offset_bytes / page_bytes..end_bytes.div_ceil(page_bytes);
        (bytes > 0 && pages.end < TOP).then_some(Self { offset_bytes, bytes, pages })
    }

    pub(crate) fn count(&self) -> u64 {
        self.pages.end - self.pages.start
    }
}

/// Whether two stretches have a page in common.
pub(crate) fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

#[cfg(test)]
mod tests {
    use super::{Access, Direction};

    #[test]
    fn a_read_touches_the_pages_that_it_cuts() {
        assert_eq!(Access::new(4095, 2, 4096).unwrap().pages, 0..2);
        assert_eq!(Access::new(8192, 4096, 4096).unwrap().pages, 2..3);
        assert_eq!(Access::new(8192, 0, 4096), None);
        assert_eq!(Access::new(u64::MAX, 1, 4096), None);
    }

    #[test]
    fn backward_is_forward_in_a_mirror() {
        let (early, late) = (Direction::Backward.seen(&(7..9)), Direction::Backward.seen(&(3..7)));
        assert_eq!(early.end, late.start);
        assert_eq!(Direction::Backward.seen(&late), 3..7);
        assert_eq!(Direction::Backward.limit(100), Direction::Backward.seen(&(0..1)).end);
    }
}
