//! What was seen of one file.

use disk::Identity;
use pagecache::residency::{Counts, Stretch};

use super::marks::Marks;
use super::names::Named;

/// The result for a file.
#[derive(Debug)]
pub(super) struct Look {
    /// `None` where the kernel does not tell this user.
    pub(super) counts: Option<Counts>,
    pub(super) identity: Identity,
    pub(super) bytes: u64,
    pub(super) detail: Detail,
}

/// The result besides the counts.
#[derive(Debug)]
pub(super) enum Detail {
    Nothing,
    /// All pages of the file, and what they hold.
    Pages(Vec<Stretch>, Vec<Named>),
    Map(Marks),
}
