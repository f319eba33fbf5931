//! The resident pages of one file after its eviction, once all reads in progress are done.
//!
//! `mincore(2)` does not report a page that is still being read, so a program that asks right after
//! a read sees too little of its readahead. `cachestat(2)` counts such pages: as long as it counts
//! more, this module waits. Before Linux 6.5 there is no way to know, and the first answer counts.
//!
//! The kernel may evict pages before they are seen: if memory is short, or if a mechanism such as
//! DAMON reclaims cold pages. It remembers such pages until the file is evicted by advice, and
//! `cachestat(2)` counts them.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use disk::{File, Mapping, Mode};

use crate::advise::{Stretch, evict};

/// How often to look for pages that are being read, and how long to wait in between. Together this
/// is ten seconds, longer than a disk takes for the largest readahead.
const LOOKS_MAX: u32 = 20_000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(500);
/// How often to evict the file: pages that are being read or written back stay at first.
const EVICTIONS_MAX: u32 = 50;
const BETWEEN_EVICTIONS: Duration = Duration::from_millis(2);

/// A descriptor that never reads. *Not for* files that other programs change meanwhile.
#[derive(Debug)]
pub struct Pages {
    file: File,
    bytes: usize,
    of_kernel: Vec<u8>,
    resident: Vec<bool>,
}

impl Pages {
    /// Opens a file, with its present length.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or the kernel does not tell this user about its pages.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path, Mode::Read)?;
        let bytes = file.len_bytes()? as usize;
        if !file.shows_residency()? {
            let refused = "the kernel does not show its pages to you";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, refused));
        }
        Ok(Self { file, bytes, of_kernel: Vec::new(), resident: Vec::new() })
    }

    /// Writes dirty pages and drops every page.
    ///
    /// # Errors
    ///
    /// Pages remain, as on a file system in memory; or those of [`evict`].
    pub fn evict(&mut self) -> io::Result<()> {
        for nth in 0..EVICTIONS_MAX {
            if nth > 0 {
                std::thread::sleep(BETWEEN_EVICTIONS);
            }
            evict(&self.file, Stretch::WHOLE, true)?;
            if !self.resident()?.contains(&true) {
                return Ok(());
            }
        }
        let left = self.shown_pages();
        Err(io::Error::other(format!("{left} pages stay in memory; the file must be on a disk")))
    }

    /// For each page, whether it is resident once all reads in progress are done.
    ///
    /// # Errors
    ///
    /// The kernel does not tell, or the reads do not end.
    pub fn resident(&mut self) -> io::Result<&[bool]> {
        for _ in 0..LOOKS_MAX {
            self.look()?;
            if !self.are_more_coming() {
                return Ok(&self.resident);
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        let endless = "the kernel does not end to read ahead";
        Err(io::Error::new(io::ErrorKind::TimedOut, endless))
    }

    /// For each page, whether it was loaded since the eviction: it is resident once all reads in
    /// progress are done, or was resident until the kernel evicted it.
    ///
    /// # Errors
    /// Those of [`Pages::resident`].
    pub fn came(&mut self) -> io::Result<&[bool]> {
        self.resident()?;
        self.add_evicted(0..self.resident.len());
        Ok(&self.resident)
    }

    /// Adds the pages of a stretch that were evicted by the kernel. The kernel only counts them, so
    /// a stretch with some of them is halved.
    fn add_evicted(&mut self, pages: Range<usize>) {
        let page_bytes = disk::page_bytes() as u64;
        let (offset_bytes, bytes) =
            (pages.start as u64 * page_bytes, pages.len() as u64 * page_bytes);
        let evicted = self.file.cache_counts(offset_bytes, bytes).map_or(0, |it| it.evicted_pages);
        if evicted == pages.len() as u64 {
            self.resident[pages].fill(true);
        } else if evicted > 0 {
            let middle = pages.start.midpoint(pages.end);
            self.add_evicted(pages.start..middle);
            self.add_evicted(middle..pages.end);
        }
    }

    /// Whether the page cache has pages that are still being read.
    fn are_more_coming(&self) -> bool {
        let counts = self.file.cache_counts(0, self.bytes as u64);
        counts.is_ok_and(|counts| counts.resident_pages > self.shown_pages())
    }

    fn shown_pages(&self) -> u64 {
        self.resident.iter().filter(|is_resident| **is_resident).count() as u64
    }

    fn look(&mut self) -> io::Result<()> {
        Mapping::of(&self.file, 0, self.bytes)?.residency(&mut self.of_kernel)?;
        self.resident.clear();
        self.resident.extend(self.of_kernel.iter().map(|page| page & 1 == 1));
        Ok(())
    }
}
