//! The reference's way to record a trace: evict a file, update it, find the resident pages.
//!
//! The record has more pages than the update needs: it includes pages that readahead brought in,
//! and a replay treats all of them as used. The reference's figures were made like this. In
//! contrast, [`crate::replay`] simulates readahead together with the cache.

use crate::cache::{Cache, Lru};
use crate::policy::Readahead;
use crate::replay::{Method, OpenFile};
use crate::trace::{Cursor, Shape};

/// One file whose updates are recorded.
#[derive(Clone, Debug)]
pub struct Recording<R> {
    shape: Shape,
    cursor: Cursor,
    method: Method,
    readahead: R,
    resident: Vec<u32>,
}

impl<R: Readahead> Recording<R> {
    /// Begins with the next update of a file.
    #[must_use]
    pub fn new(shape: Shape, cursor: Cursor, method: Method, readahead: R) -> Self {
        Self { shape, cursor, method, readahead, resident: Vec::new() }
    }

    /// Evicts the file, updates it, and returns the record ([`write_down`]).
    pub fn update(&mut self, now_seconds: u64) -> &[u32] {
        let Self { shape, cursor, method, readahead, resident } = self;
        let mut cache = Lru::new(shape.pages(), shape.pages());
        let mut file = OpenFile::new(0, shape.data_pages(), *method);
        let mut order = crate::policy::Order::default();
        readahead.open();
        cursor.update(shape, now_seconds, |touch| {
            file.touch(touch, &mut cache, readahead, &mut order);
        });
        write_down(shape, |page| cache.is_resident(page), resident);
        resident
    }
}

/// The record of a file with these resident data pages: the inode first, then the pages ascending,
/// each indirect block before the first page that it leads to.
pub fn write_down(shape: &Shape, is_resident: impl Fn(u32) -> bool, into: &mut Vec<u32>) {
    into.clear();
    into.extend(shape.has_inode().then_some(shape.data_pages()));
    for page in (0..shape.data_pages()).filter(|page| is_resident(*page)) {
        for block in shape.indirect_blocks(page).blocks() {
            let block = shape.data_pages() + 1 + block;
            if !into.contains(&block) {
                into.push(block);
            }
        }
        into.push(page);
    }
}
