//! A part of a file, in bytes and in pages.

use std::ops::Range;

/// A part of a file, in bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first byte.
    pub from_bytes: u64,
    /// The byte after the last; `None` means the end of the file.
    pub to_bytes: Option<u64>,
}

impl Stretch {
    /// The whole file.
    pub const WHOLE: Self = Self { from_bytes: 0, to_bytes: None };

    /// The part of the stretch that is within a file of this size; may be empty.
    #[must_use]
    pub fn within(self, file_bytes: u64) -> Range<u64> {
        let to = self.to_bytes.unwrap_or(file_bytes).min(file_bytes);
        self.from_bytes.min(to)..to
    }
}

/// The bytes of the pages that are wholly in a stretch; the partial page at the end of the file
/// counts as whole.
pub(super) fn whole_pages(bytes: &Range<u64>, file_bytes: u64, page_bytes: u64) -> Range<u64> {
    let from = bytes.start.next_multiple_of(page_bytes);
    let to = if bytes.end >= file_bytes { file_bytes } else { bytes.end / page_bytes * page_bytes };
    from.min(to)..to
}

/// The bytes of the pages that a stretch touches.
pub(super) fn touched_pages(bytes: &Range<u64>, file_bytes: u64, page_bytes: u64) -> Range<u64> {
    if bytes.is_empty() {
        return bytes.clone();
    }
    bytes.start / page_bytes * page_bytes..bytes.end.next_multiple_of(page_bytes).min(file_bytes)
}

/// The number of pages in a stretch that begins at a page.
pub(super) fn pages(bytes: &Range<u64>, page_bytes: u64) -> u64 {
    assert!(bytes.is_empty() || bytes.start.is_multiple_of(page_bytes), "{bytes:?}");
    (bytes.end - bytes.start).div_ceil(page_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_right() {
        let stretch = Stretch { from_bytes: 5000, to_bytes: Some(13_000) };
        let bytes = stretch.within(20_000);
        assert_eq!(whole_pages(&bytes, 20_000, 4096), 8192..12_288);
        assert_eq!(touched_pages(&bytes, 20_000, 4096), 4096..16_384);
    }

    #[test]
    fn the_cut_page_at_the_end_is_whole() {
        let bytes = Stretch { from_bytes: 16_384, to_bytes: None }.within(20_000);
        assert_eq!(whole_pages(&bytes, 20_000, 4096), 16_384..20_000);
        assert_eq!(pages(&bytes, 4096), 1);
    }

    #[test]
    fn nothing_lies_behind_the_end() {
        let far = Stretch { from_bytes: 30_000, to_bytes: Some(40_000) }.within(20_000);
        assert!(far.is_empty() && whole_pages(&far, 20_000, 4096).is_empty());
        assert!(touched_pages(&far, 20_000, 4096).is_empty());
        let inside_a_page = Stretch { from_bytes: 100, to_bytes: Some(200) }.within(20_000);
        assert!(whole_pages(&inside_a_page, 20_000, 4096).is_empty());
        assert_eq!(touched_pages(&inside_a_page, 20_000, 4096), 0..4096);
    }
}
