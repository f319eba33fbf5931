//! Writes the pages of all targets, on every core.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::arguments::Wanted;
use super::directory::Directory;
use super::site::Site;
use super::target::{Done, Writer};
use crate::on_every_core::on_threads;

/// How many problems are kept to be told: all targets may have the same.
const PROBLEMS_MAX: usize = 100;

/// What became of all pages.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) written: usize,
    pub(super) unchanged: usize,
    pub(super) failed: usize,
    /// The first problems in words, each with its target.
    pub(super) problems: Vec<String>,
}

/// Writes the pages. One that cannot be written does not stop the others.
/// None of them may have a name of the index.
pub(super) fn write_all(
    site: &Site,
    directory: &Directory,
    wanted: &Wanted,
    index: &HashSet<PathBuf>,
) -> Outcome {
    let writer = Writer { site, directory, only_changed: wanted.only_changed, index };
    let targets = &site.configuration.targets;
    let (written, unchanged, failed) =
        (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let problems = Mutex::new(Vec::new());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = wanted.jobs.unwrap_or_else(cores);
    on_threads("pages", threads, targets.len(), |queue| {
        while let Some(target) = queue.next().and_then(|nth| targets.get(nth)) {
            let counted = match writer.write(target) {
                Ok(Done::Written) => &written,
                Ok(Done::Unchanged) => &unchanged,
                Err(error) => {
                    let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
                    if problems.len() < PROBLEMS_MAX {
                        problems.push(format!("target {}: {error}", target.name));
                    }
                    &failed
                }
            };
            counted.fetch_add(1, Ordering::Relaxed);
            queue.did(1);
        }
    });
    Outcome {
        written: written.into_inner(),
        unchanged: unchanged.into_inner(),
        failed: failed.into_inner(),
        problems: problems.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}
