//! Reading the tiles that views ask for: each page once, in the order in which pages lie in the
//! file.

use std::collections::BTreeMap;
use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use super::group_files::GroupFiles;
use super::rows::ReadPage;
use super::{Cell, FileKind};
use crate::group::MemoryView;
use crate::tile::TilePlace;

/// Pages that are read at once.
const READ_PAGES: u64 = 256;
/// So many pages that are not wanted are read between two that are, rather than asking twice.
const GAP_PAGES: u64 = 8;

/// A block that a view asks for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// Where its tile lies.
    page: u64,
    /// The view's position.
    view: usize,
    block: i64,
}

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// Reads the tiles that views of one group ask for. Returns what is wrong with tiles, by the
    /// positions of their views: rows of them stay unknown, and the store's report names them. The
    /// caller holds off flushes, which write tiles.
    ///
    /// # Errors
    /// Those of the machine.
    pub(super) fn read_tiles(
        &self,
        cell: &Cell,
        views: &mut [&mut MemoryView],
    ) -> Result<BTreeMap<usize, Error>, Error> {
        let mut faults = BTreeMap::new();
        let wanted = wanted_by(cell, views);
        if wanted.is_empty() {
            return Ok(faults);
        }
        let tiles = self.open(FileKind::Tiles, cell.id)?;
        let mut bytes = Vec::new();
        for run in runs(&wanted) {
            let first_page = run[0].page;
            let pages = run[run.len() - 1].page - first_page + 1;
            let length_bytes = pages as usize * PAGE_BYTES;
            bytes.resize(length_bytes.max(bytes.len()), 0);
            let bytes = &mut bytes[..length_bytes];
            let name = FileKind::Tiles.name(cell.id);
            let read = tiles.read_at(bytes, first_page * PAGE_BYTES as u64);
            read.map_err(Error::io("reading", Path::new(&name)))?;
            for readers in run.chunk_by(|one, other| one.page == other.page) {
                let number = readers[0].page;
                let page = &bytes[(number - first_page) as usize * PAGE_BYTES..][..PAGE_BYTES];
                hand_out(cell, page, readers, views, &mut faults);
            }
        }
        Ok(faults)
    }
}

/// What views ask for, in the order of the pages. From here on they ask for nothing more.
fn wanted_by(cell: &Cell, views: &mut [&mut MemoryView]) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (nth, view) in views.iter_mut().enumerate() {
        let shape = &cell.geometry.shapes()[view.shape];
        let column = shape.column_of(view.member);
        let blocks = std::mem::take(&mut view.blocks).into_iter();
        wanted.extend(blocks.map(|block| {
            let page = shape.page_of(column, block);
            Wanted { page, view: nth, block }
        }));
    }
    wanted.sort_unstable_by_key(|wanted| (wanted.page, wanted.view));
    wanted
}

/// Cuts what is wanted into stretches of the file that are each read at once.
fn runs(wanted: &[Wanted]) -> impl Iterator<Item = &[Wanted]> {
    let mut rest = wanted;
    std::iter::from_fn(move || {
        let first_page = rest.first()?.page;
        let ends = |pair: &[Wanted]| {
            pair[1].page - pair[0].page > GAP_PAGES || pair[1].page - first_page >= READ_PAGES
        };
        let count = rest.windows(2).position(ends).map_or(rest.len(), |last| last + 1);
        let (run, behind) = rest.split_at(count);
        rest = behind;
        Some(run)
    })
}

/// Gives a page to the views that asked for a block of it.
fn hand_out(
    cell: &Cell,
    page: &[u8],
    readers: &[Wanted],
    views: &mut [&mut MemoryView],
    faults: &mut BTreeMap<usize, Error>,
) {
    let first = &views[readers[0].view];
    let column = cell.geometry.shapes()[first.shape].column_of(first.member);
    let place = TilePlace { group: cell.id, shape: first.shape as u32, column };
    let found = cell.block_in(page, place, readers[0].page);
    for reader in readers {
        let read = ReadPage { bytes: page, found: &found };
        if let Err(fault) = cell.take_tile(views[reader.view], reader.block, read) {
            faults.entry(reader.view).or_insert(fault);
        }
    }
}
