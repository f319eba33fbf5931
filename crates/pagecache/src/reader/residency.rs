//! Which of some pages are in memory, by the cheapest system call.

use std::ops::Range;

use disk::{File, FileSystem, Mapping};

/// How the kernel tells about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Residency {
    /// It counts pages (`cachestat(2)`).
    Counts,
    /// It marks each page (`mincore(2)`); a page that is being read is not marked yet.
    Marks,
    /// It does not tell this user.
    Untold,
}

impl Residency {
    pub(super) fn of(file: &File) -> Self {
        // The pages of an overlay belong to another file, so counts are zero.
        let overlay = file.file_system().is_ok_and(|it| it == FileSystem::Overlay);
        match (file.shows_residency(), file.cache_counts(0, 1)) {
            (Ok(true), Ok(_)) if !overlay => Self::Counts,
            (Ok(true), _) => Self::Marks,
            _ => Self::Untold,
        }
    }

    /// The number of these pages in memory; `None` if unknown.
    pub(super) fn resident_pages(
        self,
        file: &File,
        pages: &Range<u64>,
        page_bytes: u64,
    ) -> Option<u64> {
        match self {
            Self::Counts => {
                let (from, bytes) =
                    (pages.start * page_bytes, (pages.end - pages.start) * page_bytes);
                file.cache_counts(from, bytes).ok().map(|counts| counts.resident_pages)
            }
            Self::Marks => {
                let flags = flags(file, pages, page_bytes)?;
                Some(flags.iter().filter(|flag| **flag & 1 == 1).count() as u64)
            }
            Self::Untold => None,
        }
    }

    /// Of pages that were read ahead, those from the first evicted one on. `None` if none was
    /// evicted, or if an evicted page cannot be told from one that is being read.
    pub(super) fn lost(
        self,
        file: &File,
        pages: &Range<u64>,
        page_bytes: u64,
    ) -> Option<Range<u64>> {
        let is_whole = |pages: &Range<u64>| {
            let resident = self.resident_pages(file, pages, page_bytes);
            resident.is_none_or(|resident| resident >= pages.end - pages.start)
        };
        if self != Self::Counts || is_whole(pages) {
            return None;
        }
        let (mut whole, mut end) = (pages.start, pages.end);
        while whole + 1 < end {
            let middle = whole + (end - whole) / 2;
            if is_whole(&(pages.start..middle)) {
                whole = middle;
            } else {
                end = middle;
            }
        }
        Some(end - 1..pages.end)
    }

    /// The stretches of these pages that are not in memory; empty if unknown, so that no page
    /// counts as evicted.
    pub(super) fn missing(
        self,
        file: &File,
        pages: &Range<u64>,
        page_bytes: u64,
    ) -> Vec<Range<u64>> {
        match self.resident_pages(file, pages, page_bytes) {
            Some(0) => return vec![pages.clone()],
            Some(resident) if resident == pages.end - pages.start => return Vec::new(),
            _ => {}
        }
        let Some(flags) = flags(file, pages, page_bytes) else { return Vec::new() };
        let mut missing: Vec<Range<u64>> = Vec::new();
        for (page, _) in (pages.start..).zip(flags).filter(|(_, flag)| flag & 1 == 0) {
            match missing.last_mut() {
                Some(last) if last.end == page => last.end += 1,
                _ => missing.push(page..page + 1),
            }
        }
        missing
    }
}

fn flags(file: &File, pages: &Range<u64>, page_bytes: u64) -> Option<Vec<u8>> {
    let bytes = usize::try_from((pages.end - pages.start) * page_bytes).ok()?;
    let mut flags = Vec::new();
    let mapping = Mapping::of(file, pages.start * page_bytes, bytes).ok()?;
    mapping.residency(&mut flags).ok()?;
    Some(flags)
}
