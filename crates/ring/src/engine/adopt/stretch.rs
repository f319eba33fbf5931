//! Neighbouring tiles of a new group, written while the next are being filled.
//!
//! ```text
//!  rows ──▶ Stretch (filled) ──▶ writing thread ──▶ disk, past the page cache
//!              ▲                     │
//!              └──── emptied ◀───────┘        two of them go round
//! ```

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use disk::{GoesOn, MediumFile, PageBuffer};
use geometry::PAGE_BYTES;

use crate::tile;

/// Pages that one write takes at most.
pub(super) const WRITE_PAGES: usize = 256;
/// Stretches that go round: one is written while the other is filled.
const STRETCHES: usize = 2;

/// The tiles of neighbouring columns.
pub(super) struct Stretch {
    /// The page of the group's file in which it begins.
    pub(super) first_page: u64,
    /// Of each tile that has a value, its block.
    pub(super) blocks: Vec<Option<i64>>,
    /// Whether the other tiles are zeros, and written, too.
    has_zeros: bool,
    pages: PageBuffer,
}

impl Stretch {
    fn with_room(pages: usize) -> Self {
        let blocks = Vec::with_capacity(pages);
        let pages = PageBuffer::zeroed(pages * PAGE_BYTES);
        Self { first_page: 0, blocks, has_zeros: false, pages }
    }

    /// Begins anew: no tile has a value.
    pub(super) fn begin(&mut self, first_page: u64, tiles: usize) {
        assert!(tiles * PAGE_BYTES <= self.pages.bytes().len());
        self.first_page = first_page;
        self.has_zeros = false;
        self.blocks.clear();
        self.blocks.resize(tiles, None);
    }

    /// The page of a tile that holds this block, with unknown values where there are none so far.
    pub(super) fn page(&mut self, nth: usize, block: i64) -> &mut [u8; PAGE_BYTES] {
        let page = &mut self.pages.bytes_mut().as_chunks_mut().0[nth];
        match self.blocks[nth] {
            None => {
                self.blocks[nth] = Some(block);
                *page = *tile::UNKNOWN_PAGE;
            }
            Some(found) => assert!(found == block, "a ring has room for all its blocks"),
        }
        page
    }

    /// The tiles that have a value: the page in the group's file, the block, the bytes.
    pub(super) fn filled(&mut self) -> impl Iterator<Item = (u64, i64, &mut [u8; PAGE_BYTES])> {
        let pages = self.pages.bytes_mut().as_chunks_mut().0.iter_mut();
        let numbered = self.blocks.iter().zip(pages).zip(self.first_page..);
        numbered.filter_map(|((block, page), number)| Some((number, (*block)?, page)))
    }

    /// Makes zeros of the tiles that have no value, to be written with the others: no later write
    /// of a tile then changes metadata.
    pub(super) fn fill_with_zeros(&mut self) {
        let pages = self.pages.bytes_mut().as_chunks_mut::<PAGE_BYTES>().0.iter_mut();
        let blank = self.blocks.iter().zip(pages).filter(|(block, _)| block.is_none());
        blank.for_each(|(_, page)| page.fill(0));
        self.has_zeros = true;
    }

    /// The tiles that are written, neighbours together.
    fn runs(&self) -> Vec<Range<usize>> {
        match self.has_zeros {
            true => std::iter::once(0..self.blocks.len()).collect(),
            false => runs(&self.blocks),
        }
    }

    /// Writes the tiles that have a value, or are zeros, neighbours together, as long as `goes_on` says so.
    fn write_while(&self, tiles: &impl MediumFile, goes_on: GoesOn<'_>) -> io::Result<()> {
        for run in self.runs() {
            let mut offset_bytes = (self.first_page + run.start as u64) * PAGE_BYTES as u64;
            let bytes = &self.pages.bytes()[run.start * PAGE_BYTES..run.end * PAGE_BYTES];
            for piece in bytes.chunks(WRITE_PAGES * PAGE_BYTES) {
                disk::expect_wanted(goes_on)?;
                tiles.write_past_cache_at(piece, offset_bytes)?;
                offset_bytes += piece.len() as u64;
            }
        }
        Ok(())
    }
}

/// The stretches of neighbours that have a value.
fn runs(blocks: &[Option<i64>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for nth in (0..blocks.len()).filter(|nth| blocks[*nth].is_some()) {
        match runs.last_mut() {
            Some(last) if last.end == nth => last.end += 1,
            _ => runs.push(nth..nth + 1),
        }
    }
    runs
}

/// Where stretches are taken from and given to.
pub(super) struct Writer<'a, F> {
    tiles: &'a F,
    /// Those that this thread wrote itself.
    spare: RefCell<Vec<Stretch>>,
    empty: Receiver<Stretch>,
    full: SyncSender<Stretch>,
}

impl<F: MediumFile> Writer<'_, F> {
    /// A stretch to be filled; `None` if an earlier one could not be written.
    pub(super) fn empty(&self) -> Option<Stretch> {
        let spare = self.spare.borrow_mut().pop();
        spare.or_else(|| self.empty.recv().ok())
    }

    /// Writes a stretch of many pages at once, as long as `goes_on` says so.
    pub(super) fn write_here(&self, stretch: Stretch, goes_on: GoesOn<'_>) -> io::Result<()> {
        // Once there is another empty one, the writing thread has none left: never do two write.
        let Some(other) = self.empty() else { return Ok(()) };
        stretch.write_while(self.tiles, goes_on)?;
        self.spare.borrow_mut().extend([other, stretch]);
        Ok(())
    }

    /// Has a stretch written.
    pub(super) fn write(&self, stretch: Stretch) {
        let _ = self.full.send(stretch); // after an error the writing thread takes none
    }
}

/// Lets `fill` fill stretches of at most `pages` pages, and writes them in that order, each while
/// the next is filled. All are written when this returns.
///
/// # Errors
/// Those of `fill`, and of the file.
pub(super) fn write_behind<F: MediumFile>(
    tiles: &F,
    pages: usize,
    fill: impl FnOnce(&Writer<'_, F>) -> io::Result<()>,
) -> io::Result<()> {
    let (full, to_write) = sync_channel::<Stretch>(STRETCHES);
    let (written, empty) = sync_channel(STRETCHES);
    for _ in 0..STRETCHES {
        let _ = written.send(Stretch::with_room(pages)); // the channel has room for all of them
    }
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || {
            to_write.iter().try_for_each(|stretch| {
                stretch.write_while(tiles, &|| true)?;
                let _ = written.send(stretch); // the last ones are not asked for again
                Ok::<(), io::Error>(())
            })
        });
        let filled = fill(&Writer { tiles, spare: RefCell::default(), empty, full });
        let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        filled.and(written)
    })
}

#[cfg(test)]
mod tests {
    use disk::{Medium as _, MediumFile as _, MemoryMedium};
    use geometry::PAGE_BYTES;

    use super::{runs, write_behind};
    use crate::tile;

    #[test]
    fn neighbours_are_written_together() {
        let blocks = [None, Some(3), Some(4), None, None, Some(1)];
        assert_eq!(runs(&blocks), [1..3, 5..6]);
        assert!(runs(&[None; 4]).is_empty());
    }

    #[test]
    fn stretches_are_written_where_they_belong() {
        let medium = MemoryMedium::default();
        let file = medium.create("tiles").unwrap();
        write_behind(&file, 4, |writer| {
            for (first_page, tile) in [(0, 1), (4, 0), (8, 3)] {
                let mut stretch = writer.empty().unwrap();
                stretch.begin(first_page, 4);
                stretch.page(tile, 7)[0] = first_page as u8 + 1;
                assert_eq!(stretch.filled().count(), 1);
                match first_page {
                    4 => writer.write_here(stretch, &|| true)?,
                    _ => writer.write(stretch),
                }
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(file.len_bytes().unwrap(), 12 * PAGE_BYTES as u64);
        let mut page = [0; PAGE_BYTES];
        for (number, first) in [(1, 1), (4, 5), (11, 9)] {
            file.read_at(&mut page, number * PAGE_BYTES as u64).unwrap();
            assert_eq!((page[0], &page[1..]), (first, &tile::UNKNOWN_PAGE[1..]));
        }
        file.read_at(&mut page, 0).unwrap();
        assert_eq!(page, [0; PAGE_BYTES]);
    }
}
