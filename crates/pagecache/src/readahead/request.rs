//! Requests to the reader.

use std::ops::Range;

/// Some pages of the file, and what to do with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to do.
    pub purpose: Purpose,
    /// The page numbers; never empty, never beyond the end of the file.
    pub pages: Range<u64>,
}

/// What to do with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Begin to read them. If all were in memory already, report it
    /// ([`resident`](crate::readahead::Readahead::resident)).
    Ahead,
    /// Check them: they were read ahead and will be read soon. Report pages that were evicted
    /// ([`evicted`](crate::readahead::Readahead::evicted)). This request may be ignored.
    Check,
    /// Probe them: their stream has stopped asking, because it found everything in memory. Report
    /// pages that are not in memory ([`missing`](crate::readahead::Readahead::missing)).
    Probe,
}
