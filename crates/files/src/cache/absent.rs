//! Files that are not there, or not whole, when the journal has samples for them.
//!
//! A file system may not be mounted yet, a directory may have been moved, a power cut may have left
//! a file empty. Nothing of that is a reason to drop acknowledged samples: they wait in memory and
//! in the journal until the file is back, and only [`FileCache::forget`](super::FileCache::forget)
//! drops them. Until then the file takes no update, and none is made in its place.

use std::path::Path;

use disk::File;
use store::Error;

use super::entry::{Entry, EntryState};
use super::step::Step;

impl EntryState {
    /// The samples that wait for a file that is not there; none if that is not so.
    pub(super) fn samples_aside(&self) -> Vec<String> {
        let Some(kept) = &self.logged.aside else { return Vec::new() };
        let samples = kept.steps().filter_map(|step| match step {
            Ok(Step::Sample(argument)) => Some(argument),
            _ => None,
        });
        samples.chain(self.logged.legacy.iter().cloned()).collect()
    }

    /// Why a file is neither made nor changed: samples wait for the one that was there.
    pub(super) fn awaited(&self, entry: &Entry) -> Error {
        let samples = self.samples_aside().len() + self.pending.count() as usize;
        Error::Awaited { path: entry.path.to_path_buf(), samples }
    }
}

/// Whether an error says that a file is not there, or not whole: it may come back.
pub(super) fn is_absent(error: &Error) -> bool {
    match error {
        Error::NoSuchDatabase { .. } => true,
        Error::Io { source, .. } => source.kind() == std::io::ErrorKind::NotADirectory,
        Error::Format { .. } => true,
        _ => false,
    }
}

/// Whether a missing file was deleted: its directory is there, on the device that the file was on.
/// Otherwise its file system is not mounted, or the directory was moved.
pub(super) fn is_deleted(path: &Path, state: &EntryState) -> bool {
    let directory = path.parent().map(File::stamp_of);
    let device = directory.and_then(Result::ok).map(|stamp| stamp.identity.device());
    let known = state.known.as_ref().map(|known| known.stamp.identity.device());
    known.is_some() && device == known
}
