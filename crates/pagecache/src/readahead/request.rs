//! What is asked of the reader.

use std::ops::Range;

/// Some pages of the file, and what to do about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Why they are named.
    pub purpose: Purpose,
    /// The pages, by number; never empty, never beyond the file.
    pub pages: Range<u64>,
}

/// Why pages are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Begin to read them. Where all were in memory already, say so
    /// ([`resident`](crate::readahead::Readahead::resident)).
    Ahead,
    /// They were read ahead and will be read soon. What is gone, say so
    /// ([`evicted`](crate::readahead::Readahead::evicted)). May be passed over.
    Check,
    /// This stream finds everything in memory, and asks for nothing. Where these pages are not, say
    /// so ([`missing`](crate::readahead::Readahead::missing)).
    Probe,
}
