//! The blocks that map a file's data: inode and indirect blocks.

/// Which blocks beside its data a file occupies in memory.
///
/// A block is assumed to be as large as a page. Several inodes share a block, but each is counted
/// as a page of its own, as the reference counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockMap {
    /// None are counted, as in tools like fincore.
    DataOnly,
    /// The inode, which has the extents of a file in few pieces (ext4, XFS).
    Extents,
    /// The inode with twelve block numbers and, for further blocks, single, double and triple
    /// indirect blocks with four bytes a number (ext2, ext3).
    Indirect,
}

/// Blocks whose numbers are in the inode.
const DIRECT_BLOCKS: u64 = 12;

/// The indirect blocks that lead to one block: at most three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    blocks: [u32; 3],
    length: usize,
}

impl Chain {
    pub(crate) fn blocks(&self) -> &[u32] {
        &self.blocks[..self.length]
    }

    fn of<const N: usize>(links: [u64; N]) -> Self {
        let mut chain = Self { length: N, ..Self::default() };
        for (block, link) in chain.blocks.iter_mut().zip(links) {
            *block = u32::try_from(link).expect("files with so many indirect blocks are refused");
        }
        chain
    }
}

impl BlockMap {
    /// The indirect blocks that lead to a data block. They are numbered from 0 in the order in
    /// which they appear as a file grows (of the triple ones, all of one level before the next).
    pub(crate) fn chain(self, block: u64, page_bytes: u64) -> Chain {
        if self != Self::Indirect || block < DIRECT_BLOCKS {
            return Chain::default();
        }
        let numbers = page_bytes / 4;
        let single = block - DIRECT_BLOCKS;
        if single < numbers {
            return Chain::of([0]);
        }
        let double = single - numbers;
        if double < numbers * numbers {
            return Chain::of([1, 2 + double / numbers]);
        }
        let triple = double - numbers * numbers;
        let middle = 3 + numbers + triple / (numbers * numbers);
        Chain::of([2 + numbers, middle, 3 + 2 * numbers + triple / numbers])
    }

    /// The data blocks, first and last, that an indirect block leads to.
    pub(crate) fn range(block: u64, page_bytes: u64) -> (u64, u64) {
        let numbers = page_bytes / 4;
        let single = DIRECT_BLOCKS;
        let double = single + numbers;
        let triple = double + numbers * numbers;
        let of = |first: u64, blocks: u64| (first, first + blocks - 1);
        match block {
            0 => of(single, numbers),
            1 => of(double, numbers * numbers),
            _ if block < 2 + numbers => of(double + (block - 2) * numbers, numbers),
            _ if block == 2 + numbers => of(triple, numbers * numbers * numbers),
            _ if block < 3 + 2 * numbers => {
                of(triple + (block - 3 - numbers) * numbers * numbers, numbers * numbers)
            }
            _ => of(triple + (block - 3 - 2 * numbers) * numbers, numbers),
        }
    }

    /// The first later block that may have another chain of indirect blocks.
    pub(crate) fn next_leaf(block: u64, page_bytes: u64) -> u64 {
        let numbers = page_bytes / 4;
        match block.checked_sub(DIRECT_BLOCKS) {
            None => DIRECT_BLOCKS,
            Some(behind) => DIRECT_BLOCKS + (behind / numbers + 1) * numbers,
        }
    }

    /// The number of inode and indirect blocks of a file with this many data blocks.
    pub(crate) fn pages(self, data_blocks: u64, page_bytes: u64) -> u64 {
        match self {
            Self::DataOnly => 0,
            Self::Extents => 1,
            Self::Indirect => {
                let last = self.chain(data_blocks.saturating_sub(1), page_bytes);
                1 + last.blocks().iter().max().map_or(0, |highest| u64::from(*highest) + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BlockMap;

    fn chain(block: u64) -> Vec<u32> {
        BlockMap::Indirect.chain(block, 4096).blocks().to_vec()
    }

    #[test]
    fn blocks_are_found_as_ext2_finds_them() {
        assert_eq!(chain(0), []);
        assert_eq!(chain(11), []);
        assert_eq!(chain(12), [0]);
        assert_eq!(chain(12 + 1023), [0]);
        assert_eq!(chain(12 + 1024), [1, 2]);
        assert_eq!(chain(12 + 1024 + 1024), [1, 3]);
        assert_eq!(chain(12 + 1024 + 1024 * 1024 - 1), [1, 1025]);
        assert_eq!(chain(12 + 1024 + 1024 * 1024), [1026, 1027, 2051]);
    }

    #[test]
    fn an_indirect_block_knows_what_it_leads_to() {
        for block in (0..3_000_000).step_by(997) {
            for each in BlockMap::Indirect.chain(block, 4096).blocks() {
                let (first, last) = BlockMap::range(u64::from(*each), 4096);
                assert!((first..=last).contains(&block), "{block} behind {each}");
            }
            let next = BlockMap::next_leaf(block, 4096);
            assert!(next > block && chain(next - 1) == chain(block) && chain(next) != chain(block));
        }
    }

    #[test]
    fn a_file_has_an_inode_and_what_its_length_needs() {
        assert_eq!(BlockMap::DataOnly.pages(26, 4096), 0);
        assert_eq!(BlockMap::Extents.pages(26, 4096), 1);
        assert_eq!(BlockMap::Indirect.pages(12, 4096), 1);
        assert_eq!(BlockMap::Indirect.pages(26, 4096), 2);
        assert_eq!(BlockMap::Indirect.pages(2002, 4096), 4);
    }
}
