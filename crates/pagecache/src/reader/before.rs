//! Which pages were not in memory before: they leave it again.

use std::collections::BTreeMap;
use std::ops::Range;

use disk::{Advice, File};

use super::residency::Residency;

/// Pages that were read are dropped so many at a time.
const DROP_PAGES: u64 = 256;

/// Pages at a distance of so many were asked for by one call.
const PIECE_PAGES: u64 = 32;

/// Stretches of pages that this reader brought, by their first page. Disjoint.
#[derive(Debug, Default)]
pub(super) struct Before {
    brought: BTreeMap<u64, u64>,
    /// Those that were read since and can go.
    done: Vec<Range<u64>>,
    done_pages: u64,
}

impl Before {
    /// Remembers which of these pages are not there yet.
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

    /// The stretches of these pages that it did not bring.
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

    /// Drops these pages, as far as it brought them; not each time.
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
                // What is being read, or lies in one piece with pages beside these, does not go
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

    /// Drops all that it brought. What is still being read cannot be dropped, and is waited for.
    pub(super) fn leave(&mut self, file: &File, residency: Residency, page_bytes: u64) {
        for pages in whole_stretches(&std::mem::take(&mut self.brought)) {
            let Range { start, end } = pages;
            drop_pages(file, &pages, page_bytes);
            if residency.resident_pages(file, &pages, page_bytes) == Some(0) {
                continue;
            }
            let mut byte = [0];
            for page in (start..end).step_by(PIECE_PAGES as usize).chain([end - 1]) {
                // What cannot be read is not there.
                let _ = file.read_at(&mut byte, page * page_bytes);
            }
            drop_pages(file, &pages, page_bytes);
        }
    }
}

/// Stretches that touch each other are one: a piece of memory that lies in two of them goes only
/// with both.
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
    // Where the advice is unknown, the file system has no pages to drop.
    let _ = file.advise(Advice::DontNeed, from, bytes);
}
