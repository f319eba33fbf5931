//! Drops pages from the page cache, and checks whether they are gone.

use std::io;
use std::ops::Range;

use disk::{Advice, File, page_bytes};

use super::stretch::{Stretch, pages, whole_pages};
use crate::residency::{Counts, Way, count_in};

/// How often to try: another program may write in between.
const ATTEMPTS: usize = 2;

/// The result of an eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Pages that are wholly in the stretch; only these can be dropped.
    pub pages: u64,
    /// The counts before; `None` if the kernel does not tell this user.
    pub before: Option<Counts>,
    /// The counts after; `None` as above.
    pub after: Option<Counts>,
    /// Whether an end of the stretch may have cut a large folio that remained: the kernel drops
    /// folios whole or not at all.
    pub is_cut: bool,
}

impl Eviction {
    /// Pages that remained; `None` if the kernel does not tell this user.
    #[must_use]
    pub fn left_pages(&self) -> Option<u64> {
        self.after.map(|after| after.resident_pages)
    }
}

/// Drops the pages that are wholly in a stretch. Only clean pages can be dropped, so `with_sync`
/// writes dirty ones first. Syncing the data suffices (`fdatasync(2)`): times and block numbers of
/// a file are cached elsewhere.
///
/// # Errors
///
/// Those of `fdatasync(2)`, `posix_fadvise(2)`, and of the calls that tell residency.
pub fn evict(file: &File, stretch: Stretch, with_sync: bool) -> io::Result<Eviction> {
    let (file_bytes, page_bytes) = (file.len_bytes()?, page_bytes() as u64);
    let bytes = stretch.within(file_bytes);
    let whole = whole_pages(&bytes, file_bytes, page_bytes);
    let before = count_in(file, &whole, Way::Cachestat)?;
    let mut eviction =
        Eviction { pages: pages(&whole, page_bytes), before, after: before, is_cut: false };
    if whole.is_empty() {
        return Ok(eviction);
    }
    for _ in 0..ATTEMPTS {
        if with_sync && eviction.after.is_none_or(|it| !is_clean(&it)) {
            file.sync_data()?;
        }
        // A stretch to the end also includes what is appended meanwhile.
        let length = if bytes.end == file_bytes { 0 } else { whole.end - whole.start };
        file.advise(Advice::DontNeed, whole.start, length)?;
        eviction.after = count_in(file, &whole, Way::Cachestat)?;
        if eviction.left_pages().is_none_or(|left| left == 0) {
            return Ok(eviction);
        }
    }
    eviction.is_cut = is_cut(file, &whole, file_bytes)?;
    Ok(eviction)
}

/// Whether it is certain that no page waits for the disk.
fn is_clean(counts: &Counts) -> bool {
    counts.states.is_some_and(|states| states.dirty_pages + states.write_back_pages == 0)
}

/// Whether the pages on both sides of an end are resident.
fn is_cut(file: &File, whole: &Range<u64>, file_bytes: u64) -> io::Result<bool> {
    let page_bytes = page_bytes() as u64;
    let is_resident = |page: u64| {
        let bytes = page * page_bytes..(page + 1) * page_bytes;
        let counts = count_in(file, &bytes, Way::Cachestat)?;
        // If residency is unknown, a cut is not reported.
        io::Result::Ok(counts.is_some_and(|counts| counts.resident_pages > 0))
    };
    for end in [whole.start, whole.end] {
        if end == 0 || end >= file_bytes {
            continue;
        }
        let behind = end / page_bytes;
        if is_resident(behind - 1)? && is_resident(behind)? {
            return Ok(true);
        }
    }
    Ok(false)
}
