//! Which tiles of a group were ever written: one bit a page.
//!
//! A tile that was never written is a page of zeros and reads as unknown. A tile that was written
//! and reads as zeros was lost by the disk or the file system, and is damaged. The bits tell the
//! two apart. They are kept in memory and stand at the end of each checkpoint, as lengths of runs:
//!
//! ```text
//!   pages not written, pages written, pages not written, ...   a varint each
//! ```
//!
//! A group that is as old as its rings are long has few runs. A bit is set once the page's bytes
//! were handed to the kernel; a checkpoint has it only after the sync of the tiles.

use std::ops::Range;

use varint::RecordError;
use varint::{Cursor, put_varint};

/// Which pages of a group's file of tiles were ever written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenTiles {
    /// Bit `page % 64` of word `page / 64`. Pages beyond the last word were never written.
    words: Vec<u64>,
}

impl WrittenTiles {
    /// Notes that a page was written.
    pub(crate) fn note(&mut self, page: u64) {
        let (word, bit) = place_of(page);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    /// Whether a page was ever written.
    pub(crate) fn has(&self, page: u64) -> bool {
        let (word, bit) = place_of(page);
        self.words.get(word).is_some_and(|found| found & bit != 0)
    }

    /// Whether no page was ever written.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// Appends the runs.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let pages = self.words.len() as u64 * 64;
        let (mut at, mut written) = (0, false);
        while at < pages {
            let end = self.run_end(at, written);
            if end == pages && !written {
                break; // what follows was never written, as all beyond
            }
            put_varint(end - at, out);
            (at, written) = (end, !written);
        }
    }

    /// Where a run ends that begins at `start`: the first page that is otherwise than `written`.
    fn run_end(&self, start: u64, written: bool) -> u64 {
        let mut word = (start / 64) as usize;
        let mut mask = u64::MAX << (start % 64);
        while let Some(bits) = self.words.get(word) {
            let otherwise = if written { !bits } else { *bits } & mask;
            if otherwise != 0 {
                return word as u64 * 64 + u64::from(otherwise.trailing_zeros());
            }
            (word, mask) = (word + 1, u64::MAX);
        }
        self.words.len() as u64 * 64
    }

    /// The bits of a group of so many pages.
    ///
    /// # Errors
    /// [`RecordError`]: these are no runs, or they are longer than the group.
    pub(crate) fn decode(bytes: &[u8], pages: u64) -> Result<Self, RecordError> {
        let mut found = Self::default();
        for run in runs_of(bytes, pages)? {
            run.for_each(|page| found.note(page));
        }
        Ok(found)
    }
}

/// The runs of pages that were written, of a group of so many pages.
///
/// # Errors
/// As [`WrittenTiles::decode`].
pub(crate) fn runs_of(bytes: &[u8], pages: u64) -> Result<Vec<Range<u64>>, RecordError> {
    let cursor = &mut Cursor::new(bytes);
    let mut runs = Vec::new();
    let (mut at, mut written) = (0_u64, false);
    while !cursor.rest().is_empty() {
        let expected = "a run of the group's pages";
        let left = pages - at;
        let run = cursor.checked(expected, |it| it.varint(expected), |run| *run <= left)?;
        if written {
            runs.push(at..at + run);
        }
        (at, written) = (at + run, !written);
    }
    Ok(runs)
}

fn place_of(page: u64) -> (usize, u64) {
    ((page / 64) as usize, 1 << (page % 64))
}

#[cfg(test)]
mod tests {
    use super::WrittenTiles;

    fn of(pages: impl IntoIterator<Item = u64>) -> WrittenTiles {
        let mut written = WrittenTiles::default();
        pages.into_iter().for_each(|page| written.note(page));
        written
    }

    fn encoded(written: &WrittenTiles) -> Vec<u8> {
        let mut bytes = Vec::new();
        written.encode(&mut bytes);
        bytes
    }

    #[test]
    fn the_diagram_holds() {
        assert_eq!(encoded(&of([])), []);
        assert_eq!(encoded(&of(0..3)), [0, 3]);
        assert_eq!(encoded(&of([5, 6, 200])), [5, 2, 0xc1, 1, 1]);
        assert_eq!(encoded(&of(1..100_000)).len(), 4);
    }

    #[test]
    fn what_is_decoded_is_what_was_encoded() {
        let mut random = disk::Random::new(7);
        for _ in 0..300 {
            let pages = 1 + random.below(1000);
            let (mut at, mut noted) = (0, Vec::new());
            while at < pages {
                let run = random.below(150);
                if random.below(2) == 0 {
                    noted.extend(at..(at + run).min(pages));
                }
                at += run + 1;
            }
            let written = of(noted.iter().copied());
            let decoded = WrittenTiles::decode(&encoded(&written), pages).unwrap();
            for page in 0..pages + 70 {
                assert_eq!(decoded.has(page), noted.binary_search(&page).is_ok(), "page {page}");
            }
        }
    }

    #[test]
    fn runs_beyond_the_group_are_refused() {
        let bytes = encoded(&of(3..10));
        assert!(WrittenTiles::decode(&bytes, 10).is_ok());
        assert!(WrittenTiles::decode(&bytes, 9).is_err());
        assert!(WrittenTiles::decode(&[0x80], 9).is_err());
        assert!(WrittenTiles::decode(&[0xff; 9], u64::MAX).is_err());
    }
}
