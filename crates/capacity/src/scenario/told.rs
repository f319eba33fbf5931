//! Writes a scenario as a trace, and plays traces with policies chosen by name.

use super::Scenario;
use super::choice::{CachePolicy, Choice, Chosen, ReadaheadPolicy};
use super::one_pass::is_one_pass;
use crate::cache::Cache;
use crate::policy::Readahead;
use crate::replay::{LruPlayer, Method, Play, Player};
use crate::trace::{Fleet, Touch};
use crate::trace_text::{FileGroup, Files, Line, Runs};

impl Scenario {
    /// The files, as a trace describes them; `None` if they have too many pages for a trace.
    #[must_use]
    pub fn files(&self) -> Option<Files> {
        let mut files = Files::default();
        for group in self.fleet.groups() {
            let data_pages = group.shape.data_pages();
            let metadata_pages = group.shape.pages() - data_pages;
            let added = files.add(FileGroup { files: group.files, data_pages, metadata_pages });
            added.then_some(())?;
        }
        Some(files)
    }

    /// Passes every line after the heading to `each`.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn tell<E>(&self, mut each: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut fleet = self.fleet.clone();
        tell_span(&mut fleet, self.warming_seconds, &mut each)?;
        each(Line::Count)?;
        tell_span(&mut fleet, self.counted_seconds, &mut each)
    }
}

fn tell_span<E>(
    fleet: &mut Fleet,
    seconds: u64,
    each: &mut impl FnMut(Line<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let end = fleet.next_turn().1 + seconds;
    while fleet.next_turn().1 < end {
        tell_cycle(fleet, each)?;
    }
    Ok(())
}

fn tell_cycle<E>(
    fleet: &mut Fleet,
    each: &mut impl FnMut(Line<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let (group, at_seconds) = fleet.next_turn();
    let first_file: u32 = fleet.groups()[..group].iter().map(|group| group.files).sum();
    each(Line::Cycle(at_seconds))?;
    let (mut runs, mut open, mut told) = (Runs::default(), None, Ok(()));
    fleet.cycle(|position| {
        let file = first_file + position.file;
        if let Some(before) = open.replace(file).filter(|before| *before != file) {
            if told.is_ok() {
                told = each(Line::Update { file: before, runs: runs.as_slice() });
            }
            runs.clear();
        }
        runs.push(Touch { page: position.page_of_file, access: position.access });
    });
    told?;
    open.map_or(Ok(()), |file| each(Line::Update { file, runs: runs.as_slice() }))
}

/// Players of these files through caches of several sizes, ascending, each for all files together.
/// Their outcomes, one after the other, are those of the sizes. LRU without readahead has one
/// player for all sizes.
///
/// # Panics
///
/// If a cache has no page.
#[must_use]
pub fn players(
    files: &Files,
    method: Method,
    cache: CachePolicy,
    readahead: ReadaheadPolicy,
    capacities_pages: &[u32],
) -> Vec<Box<dyn Play>> {
    if is_one_pass(cache, readahead) {
        return vec![Box::new(LruPlayer::new(files.clone(), method, capacities_pages.to_vec()))];
    }
    let player = |pages: &u32| player(files, method, cache, readahead, *pages);
    capacities_pages.iter().map(player).collect()
}

/// A player of these files through a cache of `pages` for all of them together.
///
/// # Panics
///
/// If the cache has no page.
#[must_use]
pub fn player(
    files: &Files,
    method: Method,
    cache: CachePolicy,
    readahead: ReadaheadPolicy,
    pages: u32,
) -> Box<dyn Play> {
    Choice { cache, readahead, pages, world: files.pages() }.run(Playing { files, method })
}

struct Playing<'a> {
    files: &'a Files,
    method: Method,
}

impl Chosen for Playing<'_> {
    type Outcome = Box<dyn Play>;

    fn run<C, R>(self, cache: C, readahead: &R) -> Box<dyn Play>
    where
        C: Cache + 'static,
        R: Readahead + Clone + 'static,
    {
        Box::new(Player::new(self.files.clone(), cache, self.method, readahead))
    }
}
