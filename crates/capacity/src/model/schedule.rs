//! One update as a list of steps, each of which touches a page.
//!
//! ```text
//!   step      inode   header 0   header 1   row of archive 0   row of archive 1   live part
//!   moments   0   1   2     3    4     5    6             7    8             9    10     11
//! ```
//!
//! A step has two moments: at the even one it touches the indirect blocks of its page, at the odd
//! one the page itself.

use crate::trace::{Ring, Shape};

/// A step of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Inode,
    /// A page of the header, or of a ring that every update reads.
    Page(u32),
    /// A row of an archive, in the updates that make one final.
    Row(usize),
}

/// A moment in the life of a file: an update, by the number of its primary data point, and a place
/// within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) update: u64,
    pub(super) place: u32,
}

/// The part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Indirect,
    Data,
}

/// Pages of which all stay in memory after a reference to one: a page of data, or an indirect block
/// with the pages that it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    Inode,
    Pages { first: u32, last: u32, part: Part },
}

/// The steps of an update for one shape.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) steps: Vec<Step>,
}

impl Schedule {
    pub(super) fn new(shape: &Shape) -> Self {
        let mut steps = Vec::new();
        if shape.has_inode() {
            steps.push(Step::Inode);
        }
        steps.extend((0..shape.header_pages()).map(Step::Page));
        for ring in shape.rings().iter().filter(|ring| ring.is_read_whole) {
            let (first, last) = shape.pages_of_rows(ring, 0, ring.rows);
            steps.extend((first..=last).map(Step::Page));
        }
        steps.extend((0..shape.archives()).map(Step::Row));
        steps.extend(shape.live_pages().map(Step::Page));
        Self { steps }
    }

    pub(super) fn place(step: usize, part: Part) -> u32 {
        2 * step as u32 + u32::from(part == Part::Data)
    }

    /// The moment after the last step of an update.
    pub(super) fn end(&self) -> u32 {
        2 * self.steps.len() as u32
    }
}

/// The slots of a ring that are in some pages, first and last.
pub(super) fn slots_on(shape: &Shape, ring: &Ring, first: u32, last: u32) -> Option<(u64, u64)> {
    let page_bytes = shape.page_bytes();
    let from = (u64::from(first) * page_bytes).max(ring.offset_bytes);
    let end = ring.offset_bytes + ring.rows * shape.row_bytes();
    let to = ((u64::from(last) + 1) * page_bytes).min(end);
    let slot = |offset: u64| (offset - ring.offset_bytes) / shape.row_bytes();
    (from < to).then(|| (slot(from), slot(to - 1)))
}
