//! What was seen of one file.

use disk::Identity;
use pagecache::residency::{Counts, Stretch};

use super::marks::Marks;
use super::names::Named;

/// What was seen of a file.
#[derive(Debug)]
pub(super) struct Look {
    /// `None` where the kernel does not tell this user.
    pub(super) counts: Option<Counts>,
    pub(super) identity: Identity,
    pub(super) bytes: u64,
    pub(super) detail: Detail,
}

/// What was seen besides its counts.
#[derive(Debug)]
pub(super) enum Detail {
    Nothing,
    /// All its pages, and what they hold.
    Pages(Vec<Stretch>, Vec<Named>),
    Map(Marks),
}
