//! The pages of one file: evicted, and looked at once those that are being read have come.
//!
//! `mincore(2)` does not show a page whose bytes are still on their way, so that a program that
//! looks right after a read sees too little of its readahead. `cachestat(2)` counts such pages: as
//! long as it has more, one waits. Before Linux 6.5 nobody knows, and the first look counts.
//!
//! The kernel may take pages away again before one looks (short of memory, or because something
//! makes it reclaim what is cold, as DAMON does). It remembers that they were there until the file
//! is evicted by advice, and `cachestat(2)` counts what is remembered.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use disk::{File, Mapping, Mode};

use crate::advise::{Stretch, evict};

/// How often one looks for pages that are on their way, and how long one waits in between: ten
/// seconds, more than a disk takes for the largest readahead.
const LOOKS_MAX: u32 = 20_000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(500);
/// How often a file is asked to leave: what is being read or written back stays the first time.
const EVICTIONS_MAX: u32 = 50;
const BETWEEN_EVICTIONS: Duration = Duration::from_millis(2);

/// A descriptor that never reads. *Not for* files that others change meanwhile.
#[derive(Debug)]
pub struct Pages {
    file: File,
    bytes: usize,
    of_kernel: Vec<u8>,
    resident: Vec<bool>,
}

impl Pages {
    /// Of a file of the length that it has now.
    ///
    /// # Errors
    /// It cannot be opened, or the kernel does not show its pages to this user.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path, Mode::Read)?;
        let bytes = file.len_bytes()? as usize;
        if !file.shows_residency()? {
            let refused = "the kernel does not show its pages to you";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, refused));
        }
        Ok(Self { file, bytes, of_kernel: Vec::new(), resident: Vec::new() })
    }

    /// Writes what is dirty and drops every page.
    ///
    /// # Errors
    /// Pages stay, as on a file system in memory; or those of [`evict`].
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

    /// Page by page, whether it is resident, once all that is being read has come.
    ///
    /// # Errors
    /// The kernel does not tell, or does not end to read.
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

    /// Page by page, whether it came since the file was evicted: what is resident once all that is
    /// being read has come, and what was resident until the kernel took it away.
    ///
    /// # Errors
    /// Those of [`Pages::resident`].
    pub fn came(&mut self) -> io::Result<&[bool]> {
        self.resident()?;
        self.add_evicted(0..self.resident.len());
        Ok(&self.resident)
    }

    /// Adds those pages of a stretch that were resident. The kernel counts them without telling
    /// which they are, so that a stretch with some of them is asked about in halves.
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

    /// Whether the page cache has pages whose bytes are still being read.
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
