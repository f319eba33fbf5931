//! Which pages of a file are resident, as stretches of pages in one state.
//!
//! `cachestat(2)` counts the pages of any stretch. So halving a stretch again and again finds the
//! state of each page without touching the file, with some calls for each boundary between states.
//! `mincore(2)` tells all boundaries of a window in one call, but it needs a mapping, which changes
//! the access time of a file that is not open with `O_NOATIME`. If the file is open with it,
//! `mincore(2)` is used first, and only stretches with pages in several states are halved.

use std::io;

use disk::{CacheCounts, File, Mapping, page_bytes};

use super::Way;
use super::counts::{WINDOW_BYTES, is_overlaid, pages_of};

/// The state of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageState {
    /// Not in the page cache.
    Absent,
    /// Not in the page cache any more, but remembered by the kernel.
    Evicted,
    /// In the page cache, and equal to the disk.
    Clean,
    /// In the page cache, and different from the disk.
    Dirty,
    /// In the page cache, being written to the disk now.
    WriteBack,
    /// In the page cache; it is unknown whether it differs from the disk.
    Resident,
}

impl PageState {
    /// Whether the page is in the page cache.
    #[must_use]
    pub fn is_resident(self) -> bool {
        !matches!(self, Self::Absent | Self::Evicted)
    }

    /// Its name in lists.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Evicted => "evicted",
            Self::Clean => "clean",
            Self::Dirty => "dirty",
            Self::WriteBack => "write-back",
            Self::Resident => "resident",
        }
    }
}

/// Consecutive pages in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first page, counted from the start of the file.
    pub first_page: u64,
    /// The number of pages, at least one.
    pub pages: u64,
    /// Their state.
    pub state: PageState,
}

impl Stretch {
    /// The last of its pages.
    #[must_use]
    pub fn last_page(&self) -> u64 {
        self.first_page + self.pages - 1
    }
}

/// Passes all pages of a file of this size to `take`, as stretches in order; neighbours have
/// different states. Returns false, without a stretch, if the kernel does not tell this user.
///
/// # Errors
/// Those of `cachestat(2)`, or of `mmap(2)` and `mincore(2)`.
pub fn stretches(
    file: &File,
    file_bytes: u64,
    way: Way,
    each: &mut dyn FnMut(Stretch),
) -> io::Result<bool> {
    let has_cachestat =
        way != Way::Mincore && file.cache_counts(0, 1).is_ok() && !is_overlaid(file)?;
    if !has_cachestat && !file.shows_residency()? {
        return Ok(false);
    }
    let may_map = !has_cachestat || way == Way::Cachestat && file.leaves_access_time()?;
    let mut looking =
        Looking { file, has_cachestat, may_map, window: Vec::new(), open: None, each };
    let window_pages = WINDOW_BYTES / page_bytes() as u64;
    let pages = pages_of(file_bytes);
    for first_page in (0..pages).step_by(window_pages as usize) {
        looking.window(first_page, window_pages.min(pages - first_page))?;
    }
    looking.end();
    Ok(true)
}

struct Looking<'a> {
    file: &'a File,
    has_cachestat: bool,
    may_map: bool,
    /// The bytes of `mincore(2)`, one for each page.
    window: Vec<u8>,
    /// The last stretch, which the next pages may extend.
    open: Option<Stretch>,
    each: &'a mut dyn FnMut(Stretch),
}

impl Looking<'_> {
    fn window(&mut self, first_page: u64, pages: u64) -> io::Result<()> {
        if !self.has_cachestat {
            return self.mapped(first_page, pages, None);
        }
        let counts = self.counts(first_page, pages)?;
        match state_of(&counts, pages) {
            Some(state) => self.found(first_page, pages, state),
            None if self.may_map && (1..pages).contains(&counts.resident_pages) => {
                return self.mapped(first_page, pages, Some(&counts));
            }
            None => return self.halve(first_page, pages),
        }
        Ok(())
    }

    /// Takes the boundaries of resident stretches from a mapping. Where `counts` leaves a state
    /// open, it is searched by counting.
    fn mapped(
        &mut self,
        first_page: u64,
        pages: u64,
        counts: Option<&CacheCounts>,
    ) -> io::Result<()> {
        let page_bytes = page_bytes();
        let (offset_bytes, bytes) = (first_page * page_bytes as u64, pages as usize * page_bytes);
        let mut window = std::mem::take(&mut self.window);
        Mapping::of(self.file, offset_bytes, bytes)?.residency(&mut window)?;
        let mut at = first_page;
        for run in window.chunk_by(|one, other| one & 1 == other & 1) {
            let pages = run.len() as u64;
            match plain_state(run[0] & 1 == 1, counts) {
                Some(state) => self.found(at, pages, state),
                None => self.look(at, pages)?,
            }
            at += pages;
        }
        self.window = window;
        Ok(())
    }

    /// Finds the states of a stretch by counting.
    fn look(&mut self, first_page: u64, pages: u64) -> io::Result<()> {
        let counts = self.counts(first_page, pages)?;
        match state_of(&counts, pages) {
            Some(state) => self.found(first_page, pages, state),
            None => self.halve(first_page, pages)?,
        }
        Ok(())
    }

    fn halve(&mut self, first_page: u64, pages: u64) -> io::Result<()> {
        assert!(pages > 1, "one page is in one state");
        self.look(first_page, pages / 2)?;
        self.look(first_page + pages / 2, pages - pages / 2)
    }

    fn counts(&self, first_page: u64, pages: u64) -> io::Result<CacheCounts> {
        let page_bytes = page_bytes() as u64;
        self.file.cache_counts(first_page * page_bytes, pages * page_bytes)
    }

    fn found(&mut self, first_page: u64, pages: u64, state: PageState) {
        if let Some(open) = self.open.as_mut().filter(|open| open.state == state) {
            open.pages += pages;
            return;
        }
        let before = self.open.replace(Stretch { first_page, pages, state });
        before.into_iter().for_each(&mut *self.each);
    }

    fn end(&mut self) {
        self.open.take().into_iter().for_each(&mut *self.each);
    }
}

/// The state of a stretch of a mapping, if the counts of its window leave only one possibility.
fn plain_state(is_resident: bool, counts: Option<&CacheCounts>) -> Option<PageState> {
    match (is_resident, counts) {
        (true, None) => Some(PageState::Resident),
        (false, None) => Some(PageState::Absent),
        (true, Some(counts)) => {
            let written = counts.dirty_pages + counts.write_back_pages;
            (written == 0).then_some(PageState::Clean)
        }
        (false, Some(counts)) => (counts.evicted_pages == 0).then_some(PageState::Absent),
    }
}

/// The state that all of these pages have, if it is one; a single page always has one.
fn state_of(counts: &CacheCounts, pages: u64) -> Option<PageState> {
    let CacheCounts { resident_pages, dirty_pages, write_back_pages, evicted_pages, .. } = *counts;
    let single = pages == 1;
    // A page may become dirty again while it is written, or be evicted between two calls.
    if write_back_pages >= pages {
        return Some(PageState::WriteBack);
    }
    if dirty_pages >= pages && write_back_pages == 0 {
        return Some(PageState::Dirty);
    }
    if resident_pages >= pages && (single || dirty_pages + write_back_pages == 0) {
        return Some(PageState::Clean);
    }
    if evicted_pages >= pages {
        return Some(PageState::Evicted);
    }
    (single || resident_pages + evicted_pages == 0).then_some(PageState::Absent)
}
