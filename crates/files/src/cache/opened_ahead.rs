//! Files that are opened before they are looked at, so that the disk is asked for their heads
//! together.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use disk::{File, FirstPages, Stamp};

use crate::rrd_file::Opened;

/// Files that are opened, with their first pages.
#[derive(Debug, Default)]
pub(super) struct OpenedAhead {
    pages: FirstPages,
    files: VecDeque<Waiting>,
}

/// A file that waits to be looked at.
#[derive(Debug)]
struct Waiting {
    path: PathBuf,
    file: File,
    stamp: Stamp,
    /// Where its page is among those that were read.
    nth: usize,
}

impl OpenedAhead {
    /// Room for so many files at once.
    pub(super) fn of(files_max: usize) -> Self {
        let files_max = u32::try_from(files_max).unwrap_or(u32::MAX);
        Self { pages: FirstPages::of(files_max), files: VecDeque::new() }
    }

    /// Opens files, and reads their first pages; those that are left from before are closed. One
    /// that cannot be opened is left out: who looks at it is told why.
    pub(super) fn open<'a>(&mut self, paths: impl Iterator<Item = &'a Path>) {
        self.files.clear();
        for path in paths.take(self.pages.files_max()) {
            if let Ok(Opened { file, stamp, .. }) = Opened::of(path) {
                let (path, nth) = (path.to_path_buf(), self.files.len());
                self.files.push_back(Waiting { path, file, stamp, nth });
            }
        }
        self.pages.read(self.files.iter().map(|waiting| &waiting.file));
    }

    /// A file with its first page, if it is among them; those before it are closed.
    pub(super) fn take(&mut self, path: &Path) -> Option<Opened<'_>> {
        let before = self.files.iter().position(|waiting| waiting.path == path)?;
        self.files.drain(..before);
        let Waiting { file, stamp, nth, .. } = self.files.pop_front()?;
        Some(Opened { file, stamp, first_page: self.pages.page(nth) })
    }
}
