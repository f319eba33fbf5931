//! The list of files of which a write-back may be lost though they look whole.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use journal::RrdId;

use super::LogPin;

/// A file in doubt.
#[derive(Debug, Default)]
struct InDoubt {
    /// The bases of its write-backs that are not durable, by the numbers that the file had.
    held: Vec<(RrdId, LogPin)>,
}

/// Files in doubt, by their paths.
#[derive(Debug, Default)]
pub(super) struct FilesInDoubt(HashMap<PathBuf, InDoubt>);

impl FilesInDoubt {
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Notes the base of a write-back of a file in doubt.
    pub(super) fn add(&mut self, path: &Path, base: (RrdId, LogPin)) {
        self.0.entry(path.to_path_buf()).or_default().held.push(base);
    }

    /// A file in doubt is held by these bases, and by no others.
    pub(super) fn put(&mut self, path: &Path, held: Vec<(RrdId, LogPin)>) {
        self.0.insert(path.to_path_buf(), InDoubt { held });
    }

    /// A file is no longer in doubt.
    pub(super) fn remove(&mut self, path: &Path) {
        self.0.remove(path);
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.0.keys().cloned().collect()
    }

    /// The bases of one file.
    pub(super) fn held_of(&self, path: &Path) -> Vec<(RrdId, LogPin)> {
        self.0.get(path).map(|file| file.held.clone()).unwrap_or_default()
    }

    /// The bases of all of them.
    pub(super) fn held(&self) -> impl Iterator<Item = (RrdId, LogPin)> {
        self.0.values().flat_map(|file| file.held.iter().copied())
    }
}
