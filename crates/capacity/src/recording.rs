//! The reference's way to record a trace: evict a file, update it, look at what is resident.
//!
//! What is written down is more than the update needed: with readahead it is everything that came
//! in with it, and the replay then treats all of it as used. That is how the reference's figures
//! were made; [`crate::replay`] is what happens when readahead sees the same cache as the updates.

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

    /// Evicts the file, updates it, and gives what is written down ([`write_down`]).
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

/// What the method writes down of a file of which these pages of data are resident: the inode
/// first, the pages ascending, indirect blocks before the first page that they lead to.
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
