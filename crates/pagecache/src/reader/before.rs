//! Remembers which pages were not in memory before, so that they can be dropped again.

use std::collections::BTreeMap;
use std::ops::Range;

use disk::{Advice, File};

use super::residency::Residency;

/// Pages that were read are dropped in groups of this size.
const DROP_PAGES: u64 = 256;

/// Pages closer together than this were asked for in one call.
const PIECE_PAGES: u64 = 32;

/// Stretches of pages that this reader loaded, by their first page. They are disjoint.
#[derive(Debug, Default)]
pub(super) struct Before {
    brought: BTreeMap<u64, u64>,
    /// Those of them that were read and can be dropped.
    done: Vec<Range<u64>>,
    done_pages: u64,
}

impl Before {
    /// Remembers which of these pages are not in memory.
    pub(super) fn about_to_read(
        &mut self,
        file: &File,
        residency: Residency,
        pages: &Range<u64>,
        page_bytes: u64,
    ) {
        for gap in self.unknown(pages) {
            for missing in residency.missing(file, &gap, page_bytes) {
                self.brought.insert(missing.start, missing.end);
            }
        }
    }

    /// The stretches of these pages that it did not load.
    fn unknown(&self, pages: &Range<u64>) -> Vec<Range<u64>> {
        let (mut from, mut gaps) = (pages.start, Vec::new());
        let before = self.brought.range(..pages.start).next_back();
        let inside = self.brought.range(pages.start..pages.end);
        for (start, end) in before.into_iter().chain(inside) {
            if *start > from {
                gaps.push(from..*start);
            }
            from = from.max(*end);
        }
        if from < pages.end {
            gaps.push(from..pages.end);
        }
        gaps
    }

    /// Drops those of these pages that it loaded; not on every call.
    pub(super) fn done(
        &mut self,
        file: &File,
        residency: Residency,
        pages: &Range<u64>,
        page_bytes: u64,
    ) {
        let before = self.brought.range(..pages.start).next_back();
        let inside = self.brought.range(pages.start..pages.end);
        let cut = |(start, end): (&u64, &u64)| pages.start.max(*start)..pages.end.min(*end);
        let ours: Vec<Range<u64>> = before.into_iter().chain(inside).map(cut).collect();
        for pages in ours.into_iter().filter(|pages| !pages.is_empty()) {
            self.done_pages += pages.end - pages.start;
            match self.done.last_mut() {
                Some(last) if last.end == pages.start => last.end = pages.end,
                Some(last) if last.start == pages.end => last.start = pages.start,
                _ => self.done.push(pages),
            }
        }
        if self.done_pages >= DROP_PAGES {
            for pages in std::mem::take(&mut self.done) {
                drop_pages(file, &pages, page_bytes);
                // A page that is being read, or is in one folio with pages outside, is not dropped
                // yet.
                if residency.resident_pages(file, &pages, page_bytes).unwrap_or(0) == 0 {
                    self.forget(&pages);
                }
            }
            self.done_pages = 0;
        }
    }

    fn forget(&mut self, pages: &Range<u64>) {
        let before = self.brought.range(..pages.start).next_back();
        let inside = self.brought.range(pages.start..pages.end);
        let touched: Vec<Range<u64>> =
            before.into_iter().chain(inside).map(|(start, end)| *start..*end).collect();
        for old in touched.into_iter().filter(|old| old.end > pages.start) {
            self.brought.remove(&old.start);
            if old.start < pages.start {
                self.brought.insert(old.start, pages.start);
            }
            if old.end > pages.end {
                self.brought.insert(pages.end, old.end);
            }
        }
    }

    /// Drops all pages that it loaded. A page that is still being read cannot be dropped, so the
    /// read is waited for.
    pub(super) fn leave(&mut self, file: &File, residency: Residency, page_bytes: u64) {
        for pages in whole_stretches(&std::mem::take(&mut self.brought)) {
            let Range { start, end } = pages;
            drop_pages(file, &pages, page_bytes);
            if residency.resident_pages(file, &pages, page_bytes) == Some(0) {
                continue;
            }
            let mut byte = [0];
            for page in (start..end).step_by(PIECE_PAGES as usize).chain([end - 1]) {
                // An error means that the page cannot be in memory.
                let _ = file.read_at(&mut byte, page * page_bytes);
            }
            drop_pages(file, &pages, page_bytes);
        }
    }
}

/// Joins adjacent stretches: a folio that spans two of them is only dropped with both.
fn whole_stretches(brought: &BTreeMap<u64, u64>) -> Vec<Range<u64>> {
    let mut whole: Vec<Range<u64>> = Vec::new();
    for (&start, &end) in brought {
        match whole.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => whole.push(start..end),
        }
    }
    whole
}

fn drop_pages(file: &File, pages: &Range<u64>, page_bytes: u64) {
    let (from, bytes) = (pages.start * page_bytes, (pages.end - pages.start) * page_bytes);
    // A file system that does not support the advice has no pages to drop.
    let _ = file.advise(Advice::DontNeed, from, bytes);
}
