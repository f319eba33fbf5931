//! Calculates which pages updates touch.
//!
//! ```text
//!   page of a file   0 .. h        h .. d      d       d + 1 ..
//!   holds            header        rows        inode   indirect blocks of ext2 and ext3
//!
//!   one update       inode w, header r, rows w archive by archive, live part of the header w
//! ```
//!
//! [`Shape`] is the layout of a file in pages: only it knows their number and positions. [`Cursor`]
//! is the state of one file. [`Fleet`] interleaves many files as a collector polls them, and
//! numbers the pages of all of them, so that simulators can use arrays.

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

/// An access to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Its bytes are read.
    Read,
    /// A part of it is written: if it is not resident, it must be read first.
    Write,
}

/// One page reference of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The page, by its number in the file; see [`Shape`] for pages after the data.
    pub page: u32,
    /// The access.
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
