//! The ways in which programs update files.

use capacity::replay::Method;
use capacity::scenario::ReadaheadPolicy;
use files::{Io, Transfer};

/// One way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    /// How the store accesses files; `None` means Debian's rrdtool.
    pub(crate) io: Option<Io>,
    pub(crate) kept: Kept,
}

/// What is kept of a file between its updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Nothing: the file is opened and closed.
    Nothing,
    /// The descriptor; the header is read again.
    Descriptor,
    /// The descriptor and the parsed header.
    Metadata,
}

const fn way(name: &'static str, transfer: Transfer, advice: bool) -> Way {
    Way { name, io: Some(Io { transfer, advice }), kept: Kept::Nothing }
}

const fn keeping(name: &'static str, transfer: Transfer, kept: Kept) -> Way {
    Way { name, io: Some(Io { transfer, advice: false }), kept }
}

/// The strategies that were compared in 2003; the first was the usual one.
pub(crate) const STRATEGIES_OF_2003: [Way; 6] = [
    keeping("stdio-each", Transfer::Buffered, Kept::Nothing),
    keeping("stdio-kept", Transfer::Buffered, Kept::Descriptor),
    keeping("seek-write", Transfer::Sought, Kept::Metadata),
    keeping("pwrite", Transfer::Positioned, Kept::Metadata),
    keeping("header-mapped", Transfer::HeaderMapped, Kept::Metadata),
    keeping("whole-mapped", Transfer::Mapped, Kept::Metadata),
];

/// Every way to open, update and close a file.
pub(crate) const WAYS: [Way; 7] = [
    way("stdio", Transfer::Buffered, false),
    way("stdio-advice", Transfer::Buffered, true),
    way("pread", Transfer::Positioned, false),
    way("pread-advice", Transfer::Positioned, true),
    way("mapping", Transfer::Mapped, false),
    way("mapping-advice", Transfer::Mapped, true),
    RRDTOOL,
];

/// Debian's rrdtool, which maps files and gives advice.
pub(crate) const RRDTOOL: Way = Way { name: "rrdtool", io: None, kept: Kept::Nothing };

impl Way {
    /// gyre's own way.
    pub(crate) const OWN: Self = WAYS[3];

    pub(crate) fn named(name: &str) -> Option<Self> {
        WAYS.into_iter().chain(STRATEGIES_OF_2003).find(|way| way.name == name)
    }

    /// All ways that are available here.
    pub(crate) fn all_here() -> Vec<Self> {
        let is_here = |way: &Self| way.io.is_some() || crate::rrdtool::is_here();
        WAYS.into_iter().filter(is_here).collect()
    }

    pub(crate) fn has_advice(self) -> bool {
        self.io.is_none_or(|io| io.advice)
    }

    /// The readahead windows that affect it: with advice, windows have no effect.
    pub(crate) fn windows_of(self, windows: &[u64]) -> &[u64] {
        if self.has_advice() { &windows[..1] } else { windows }
    }

    /// Its method in simulations.
    pub(crate) fn method(self) -> Method {
        match self.io.map(|io| io.transfer) {
            Some(Transfer::Buffered) => Method::Stream,
            Some(Transfer::Mapped) | None => Method::Mapping,
            Some(_) => Method::Pwrite,
        }
    }

    /// The readahead of today's kernel for it.
    pub(crate) fn readahead(self, window_kib: u64) -> ReadaheadPolicy {
        let window_pages = (window_kib * 1024 / crate::layouts::PAGE_BYTES) as u32;
        match (self.method(), testbed::has_large_folios()) {
            _ if self.has_advice() || window_pages == 0 => ReadaheadPolicy::None,
            (Method::Mapping, false) => ReadaheadPolicy::ReadAround(window_pages),
            (Method::Mapping, true) => ReadaheadPolicy::LargeReadAround(window_pages),
            (_, false) => ReadaheadPolicy::OnDemand(window_pages),
            (_, true) => ReadaheadPolicy::LargeFolios(window_pages),
        }
    }
}
