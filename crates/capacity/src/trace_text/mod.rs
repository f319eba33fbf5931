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
//! [`Parser`] takes one line at a time and keeps nothing of it but its runs, so that a trace may be
//! of any length. [`Line`]'s text is the inverse.

mod files;
mod parse;
mod write;

pub use files::{FileGroup, Files, PAGES_MAX, Place};
pub use parse::{LINE_BYTES_MAX, Mistake, Parser};
pub use write::{Runs, heading};

use crate::trace::Access;

/// What every trace begins with.
pub const FIRST_LINE: &str = "gyre page trace 1";

/// What a line says, behind the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// No event: a remark, or a line of the heading.
    Nothing,
    /// A cycle of updates begins, so many seconds after the epoch; what was dirty is on disk.
    Cycle(u64),
    /// What follows is counted.
    Count,
    /// A file is opened and updated.
    Update {
        /// Its number.
        file: u32,
        /// Its pages, in the order of their use.
        runs: &'a [Run],
    },
}

/// Pages of one file, each used once, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// What is done to them.
    pub access: Access,
    /// The first.
    pub first_page: u32,
    /// The last; it is not before the first.
    pub last_page: u32,
}
