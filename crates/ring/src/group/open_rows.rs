//! The rows of a group that stand in no tile yet: in open rows, in pages on their way to the disk,
//! and late rows.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use geometry::{Geometry, PAGE_BYTES, Shape};

use super::{ClosedPage, NO_BLOCK, TileKey};
use crate::open_block::OpenBlock;
use crate::patch::Patches;

/// The rows of a group that stand in no tile yet.
#[derive(Debug)]
pub(crate) struct OpenRows {
    pub(crate) shapes: Vec<OpenShape>,
    /// Pages on their way to the disk.
    pub(crate) closing: Vec<ClosedPage>,
    /// Late rows that the flush under way settles.
    pub(crate) settling: Patches,
    /// Late rows for the next flush.
    pub(crate) patches: Patches,
}

/// The tiles of one shape that are not on disk yet.
#[derive(Debug)]
pub(crate) struct OpenShape {
    /// Blocks up to this one are written, or no member had a value for them.
    pub(crate) flushed_block: i64,
    /// Up to this block, the rows that left the ring were saved for the members that show them.
    pub(crate) settled_block: i64,
    /// Blocks whose tiles a flush that was cut short may have torn before the store was opened. The
    /// first checkpoint since mends them.
    pub(crate) doubtful: Range<i64>,
    /// In ascending order.
    pub(crate) blocks: VecDeque<OpenBlock>,
}

impl OpenRows {
    /// None: nothing was flushed yet.
    pub(super) fn none(geometry: &Geometry) -> Self {
        let open = |_| OpenShape {
            flushed_block: NO_BLOCK,
            settled_block: NO_BLOCK,
            doubtful: 0..0,
            blocks: VecDeque::new(),
        };
        Self {
            shapes: geometry.shapes().iter().map(open).collect(),
            closing: Vec::new(),
            settling: Patches::default(),
            patches: Patches::default(),
        }
    }

    /// Pages that will be written of what is in memory.
    pub(crate) fn pages(&self) -> usize {
        let open = self.open_blocks().map(|block| block.columns().count());
        open.sum::<usize>() + self.closing.len()
    }

    /// Bytes of memory that pages take.
    pub(crate) fn memory_bytes(&self) -> usize {
        let open: usize = self.open_blocks().map(OpenBlock::memory_bytes).sum();
        open + self.closing.len() * PAGE_BYTES
    }

    fn open_blocks(&self) -> impl Iterator<Item = &OpenBlock> {
        self.shapes.iter().flat_map(|shape| &shape.blocks)
    }

    /// Closes every block that ends by a boundary.
    pub(super) fn close_up_to(&mut self, geometry: &Geometry, phase_pdps: u32, boundary_pdp: i64) {
        for (nth, open) in self.shapes.iter_mut().enumerate() {
            let last = geometry.shapes()[nth].last_block_by(boundary_pdp, phase_pdps);
            while let Some(block) = open.blocks.pop_front_if(|open| open.block <= last) {
                self.closing.extend(block.columns().map(|column| ClosedPage {
                    shape: nth as u32,
                    column,
                    block: block.block,
                    page: Arc::new(block.page(column)),
                }));
            }
            open.flushed_block = open.flushed_block.max(last);
        }
    }

    /// From here on the late rows are those that the flush under way settles.
    pub(super) fn settle_patches(&mut self, sources: usize) {
        // Rows that a flush before could not settle come first: they are older.
        let later = std::mem::take(&mut self.patches);
        self.settling.absorb(&later, sources);
    }

    /// Pages stand in their tiles.
    pub(super) fn wrote(&mut self, written: &BTreeSet<TileKey>) {
        self.closing.retain(|page| !written.contains(&page.key()));
    }

    /// A member is gone.
    pub(super) fn forget(&mut self, member: u16) {
        self.patches.forget(member);
        self.settling.forget(member);
    }

    /// Whether a newer page is on its way to the tile of a block.
    pub(super) fn awaits_newer(&self, shape: &Shape, key: TileKey) -> bool {
        let ring_tiles = shape.ring_tiles as i64;
        let newer = |block: i64| block > key.block && (block - key.block) % ring_tiles == 0;
        self.closing_like(key).any(|page| newer(page.block))
    }

    /// Whether an older page is still on its way to the tile of a block.
    pub(super) fn awaits_older(&self, shape: &Shape, key: TileKey) -> bool {
        let ring_tiles = shape.ring_tiles as i64;
        let older = |block: i64| block < key.block && (key.block - block) % ring_tiles == 0;
        self.closing_like(key).any(|page| older(page.block))
    }

    /// Pages of the same shape and column that are on their way to the disk.
    fn closing_like(&self, key: TileKey) -> impl Iterator<Item = &ClosedPage> {
        let is_like =
            move |page: &&ClosedPage| (page.shape, page.column) == (key.shape, key.column);
        self.closing.iter().filter(is_like)
    }
}

impl OpenShape {
    /// The rows of a block.
    pub(super) fn block(&mut self, block: i64, shape: &Shape, sources: usize) -> &mut OpenBlock {
        assert!(block > self.flushed_block);
        let at = match self.blocks.iter().rposition(|open| open.block <= block) {
            Some(at) if self.blocks[at].block == block => at,
            before => {
                let at = before.map_or(0, |before| before + 1);
                self.blocks.insert(at, OpenBlock::empty(block, shape, sources));
                at
            }
        };
        &mut self.blocks[at]
    }
}
