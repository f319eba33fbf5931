//! Databases that a process keeps while it asks what is left.

use std::path::Path;

use inventory::Layouts;
use ring::Pace;

/// Databases that a process keeps.
pub(crate) struct Load<'a> {
    /// Their layouts.
    pub(crate) layouts: Layouts,
    /// Their directory.
    pub(crate) place: &'a Path,
    /// The pace of a ring store; `None` for files.
    pub(crate) pace: Option<Pace>,
    /// Bytes that they take on disk already.
    pub(crate) there_bytes: u64,
    /// Bytes of memory that they take already.
    pub(crate) held_bytes: u64,
}
