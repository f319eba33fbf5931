//! How many files have how many resident pages.

use std::collections::BTreeMap;

/// Up to this number of pages each number has its own class; above it, a class has all numbers with
/// the same leading bits.
const EXACT_PAGES: u64 = 4096;
/// The number of leading bits.
const BITS: u32 = 7;

/// Counts files by their resident pages. It needs memory for at most a few thousand classes, for
/// any number of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The number of files in each class, by the most pages of the class.
    classes: BTreeMap<u64, u64>,
    files: u64,
    pages: u64,
}

impl Distribution {
    /// Counts a file.
    pub fn add(&mut self, resident_pages: u64) {
        *self.classes.entry(class_of(resident_pages)).or_default() += 1;
        self.files += 1;
        self.pages += resident_pages;
    }

    /// The number of files counted.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.files
    }

    /// The resident pages of all files.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Each class that has files: its number of pages (from 4,096 on the upper end of a range of at
    /// most 1.6 percent), the files in it, and the files in it and below.
    pub fn steps(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.classes.iter().scan(0, |below, (pages, files)| {
            *below += files;
            Some((*pages, *files, *below))
        })
    }

    /// The smallest number of pages that at least this share of the files do not exceed: the median
    /// for 0.5.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let enough = (share * self.files as f64).ceil().max(1.0) as u64;
        self.steps().find(|(_, _, below)| *below >= enough).map(|(pages, ..)| pages)
    }
}

/// The largest number in the class of a number.
fn class_of(pages: u64) -> u64 {
    if pages <= EXACT_PAGES {
        return pages;
    }
    let shift = u64::BITS - pages.leading_zeros() - BITS;
    pages | ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::{Distribution, class_of};

    #[test]
    fn files_are_counted_up() {
        let mut found = Distribution::default();
        [3, 0, 3, 26, 8].into_iter().for_each(|pages| found.add(pages));
        let steps: Vec<_> = found.steps().collect();
        assert_eq!(steps, [(0, 1, 1), (3, 2, 3), (8, 1, 4), (26, 1, 5)]);
        assert_eq!((found.files(), found.pages()), (5, 40));
        assert_eq!([0.0, 0.5, 0.7, 1.0].map(|share| found.quantile(share).unwrap()), [0, 3, 8, 26]);
        assert_eq!(Distribution::default().quantile(0.5), None);
    }

    #[test]
    fn classes_are_narrow_and_few() {
        let mut classes = 0;
        let mut before = 0;
        for pages in (0..300_000).chain((0..1000).map(|nth| u64::MAX - nth)) {
            let class = class_of(pages);
            assert!(class >= pages && class_of(class) == class);
            assert!((class - pages) as f64 <= pages as f64 * 0.016, "{pages}: {class}");
            assert!(class >= before, "in order");
            classes += u64::from(class != before);
            before = class;
        }
        assert!(classes < 5000, "{classes}");
    }
}
