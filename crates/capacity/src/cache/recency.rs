//! Keeps pages in the order of their last uses, and finds the position of a page in it.
//!
//! The stack distance of a reference is the number of different pages used since its page was last
//! used, that page included: an LRU cache has the page if and only if it holds that many pages or
//! more (Mattson and others, 1970). So one pass over the references gives the misses for every
//! size.
//!
//! ```text
//!   time        0 1 2 3 4 5 6 7 8 9 ...
//!   reference   a b a c b d a          a bit for the last use of each page:
//!   last uses         1 1 1 1          c, b, d, a; the next c has distance 4
//! ```
//!
//! The distance is the number of bits from the last use on. Bits are counted in blocks, and a
//! Fenwick tree has the counts of the blocks, so that most memory accesses hit the processor's
//! cache. When time reaches the end of the bits, the last uses are compacted.

/// The most bits that are counted one by one for a reference.
const BLOCK_BITS: usize = 512;
const WORD_BITS: usize = 64;
const BLOCK_WORDS: usize = BLOCK_BITS / WORD_BITS;
const NEVER: u32 = u32::MAX;

/// Pages in the order of their last uses.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    /// The time of each page's last use.
    last_uses: Vec<u32>,
    /// A bit for each time that is the last use of a page.
    words: Vec<u64>,
    /// A Fenwick tree over the numbers of bits in the blocks.
    tree: Vec<u32>,
    now: u32,
    used_pages: u32,
}

impl Recency {
    /// For a world of `pages`, fewer than 2^30.
    pub(super) fn new(pages: u32) -> Self {
        assert!(pages < 1 << 30);
        // There is room for as many further references as there are pages, and never too few, so
        // that compacting costs little for each reference.
        let times = (2 * pages as usize).max(1 << 15).next_multiple_of(BLOCK_BITS);
        Self {
            last_uses: vec![NEVER; pages as usize],
            words: vec![0; times / WORD_BITS],
            tree: vec![0; times / BLOCK_BITS + 1],
            now: 0,
            used_pages: 0,
        }
    }

    /// Pages used so far.
    pub(super) fn used_pages(&self) -> u32 {
        self.used_pages
    }

    /// Takes a page reference; returns its stack distance, at least 1. `None` if the page was never
    /// used before.
    #[inline]
    pub(super) fn access(&mut self, page: u32) -> Option<u32> {
        let last = self.last_uses[page as usize];
        if last != NEVER && last + 1 == self.now {
            return Some(1); // it is the last page used, and stays so
        }
        if self.now as usize == self.words.len() * WORD_BITS {
            self.move_together();
        }
        let last = std::mem::replace(&mut self.last_uses[page as usize], self.now);
        let distance = if last == NEVER {
            self.used_pages += 1;
            None
        } else {
            let distance = self.used_pages - self.bits_before(last);
            self.forget(last);
            Some(distance)
        };
        self.note(self.now);
        self.now += 1;
        distance
    }

    fn bits_before(&self, time: u32) -> u32 {
        let time = time as usize;
        let (mut block, mut bits) = (time / BLOCK_BITS, 0);
        let first_word = block * BLOCK_WORDS;
        while block > 0 {
            bits += self.tree[block];
            block &= block - 1;
        }
        let word = time / WORD_BITS;
        for whole in &self.words[first_word..word] {
            bits += whole.count_ones();
        }
        bits + (self.words[word] & ((1 << (time % WORD_BITS)) - 1)).count_ones()
    }

    #[inline]
    fn note(&mut self, time: u32) {
        self.words[time as usize / WORD_BITS] |= 1 << (time as usize % WORD_BITS);
        self.add(time, 1);
    }

    #[inline]
    fn forget(&mut self, time: u32) {
        self.words[time as usize / WORD_BITS] &= !(1 << (time as usize % WORD_BITS));
        self.add(time, u32::MAX); // one less
    }

    #[inline]
    fn add(&mut self, time: u32, bits: u32) {
        let mut block = time as usize / BLOCK_BITS + 1;
        while block < self.tree.len() {
            self.tree[block] = self.tree[block].wrapping_add(bits);
            block += block & block.wrapping_neg();
        }
    }

    /// Compacts: moves the last uses to the first times, in their order.
    #[cold]
    fn move_together(&mut self) {
        let mut page_at = vec![NEVER; self.words.len() * WORD_BITS];
        for (page, last) in self.last_uses.iter().enumerate().filter(|(_, last)| **last != NEVER) {
            page_at[*last as usize] = page as u32;
        }
        self.words.fill(0);
        self.tree.fill(0);
        self.now = 0;
        for page in page_at.into_iter().filter(|page| *page != NEVER) {
            self.last_uses[page as usize] = self.now;
            self.note(self.now);
            self.now += 1;
        }
        assert!(self.now == self.used_pages);
    }
}
