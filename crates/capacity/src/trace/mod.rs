//! Which pages updates touch, by arithmetic.
//!
//! ```text
//!   page of a file   0 .. h        h .. d      d       d + 1 ..
//!   holds            header        rows        inode   indirect blocks of ext2 and ext3
//!
//!   one update       inode w, header r, rows w archive by archive, live part of the header w
//! ```
//!
//! [`Shape`] is one layout of a file, seen as pages: it alone knows how many there are and where.
//! [`Cursor`] is one file's place in its life. [`Fleet`] interleaves many files as a collector
//! polls them, and numbers all their pages in one row, so that simulators can use arrays.

mod block_map;
mod shape;
mod cursor;
mod fleet;
mod ages;

pub use block_map::BlockMap;
pub use cursor::Cursor;
pub use fleet::{Fleet, Group, Position, Scatter, Turns};
pub use shape::Shape;

pub(crate) use shape::Ring;

/// What is done to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Its bytes are looked at.
    Read,
    /// A part of it is changed: what is not resident must be read first.
    Write,
}

/// One page reference of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The page, by its number in the file; see [`Shape`] for what lies behind the data.
    pub page: u32,
    /// What is done to it.
    pub access: Access,
}

impl Touch {
    pub(crate) const fn read(page: u32) -> Self {
        Self { page, access: Access::Read }
    }

    pub(crate) const fn write(page: u32) -> Self {
        Self { page, access: Access::Write }
    }
}
