//! Page-access traces as text: a line for each update of a file.
//!
//! ```text
//! gyre page trace 1             the first line
//! files 2 data 26 metadata 2    files 0 and 1: pages 0 to 25 hold data, 26 is the inode, 27 a block map
//! files 1 data 9 metadata 0     file 2
//! at 1036800300                 seconds since the epoch: a cycle begins, what was dirty is on disk
//! 0 w26 r0 w2 r27 w14 w0        file 0 is opened and updated: its pages, in order
//! 2 r0 w5-7 w0                  pages 5, 6 and 7 one after the other
//! count                         all up to here has warmed the cache
//! at 1036800600
//! 1 w26 r0 w2 w0
//! # a remark; empty lines mean nothing either
//! ```
//!
//! `r` is a page that is looked at, `w` one of which a part is changed. All `files` come before all
//! else; without `count`, everything is counted.
//!
//! [`Parser`] takes one line at a time and keeps only its runs, so a trace may be of any length.
//! The `Display` of [`Line`] is the inverse.

mod files;
mod parse;
mod write;

pub use files::{FileGroup, Files, PAGES_MAX, Place};
pub use parse::{LINE_BYTES_MAX, Mistake, Parser};
pub use write::{Runs, heading};

use crate::trace::Access;

/// The first line of every trace.
pub const FIRST_LINE: &str = "gyre page trace 1";

/// A line after the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Not an event: a remark, or a line of the heading.
    Nothing,
    /// A cycle of updates begins at this time, in seconds since the epoch. All dirty pages are on
    /// disk.
    Cycle(u64),
    /// From here on, events are counted.
    Count,
    /// A file is opened and updated.
    Update {
        /// Its number.
        file: u32,
        /// Its pages, in the order of their use.
        runs: &'a [Run],
    },
}

/// A range of pages of one file, each used once, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The access to them.
    pub access: Access,
    /// The first page.
    pub first_page: u32,
    /// The last page, not before the first.
    pub last_page: u32,
}
