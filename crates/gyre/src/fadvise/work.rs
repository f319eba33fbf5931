//! Acts on one file after the other, and counts its resident pages before and after.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use disk::{Advice, File};
use pagecache::Opened;
use pagecache::advise::{self, Eviction};

use super::arguments::{Action, Wanted};
use super::holders::Holders;

/// How often to look whether pages have arrived.
const LOOK: Duration = Duration::from_millis(2);
/// Waiting ends after this time without another page.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the effect that was asked for was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Whole,
    /// On some of the pages only.
    Partial,
    /// Unknown: the kernel does not tell this user.
    Unknown,
    /// The advice ended when the descriptor was closed.
    Passed,
}

impl Effect {
    /// Its name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Partial => "partial",
            Self::Unknown => "unknown",
            Self::Passed => "passed",
        }
    }
}

/// What was done to a file.
#[derive(Debug)]
pub(super) struct Done {
    /// Pages in the range.
    pub(super) pages: u64,
    /// Those of `pages` that were resident before; `None` if they were not counted, or the kernel
    /// does not tell.
    pub(super) before: Option<u64>,
    /// Those of `pages` that are resident now; `None` as above.
    pub(super) after: Option<u64>,
    pub(super) effect: Effect,
    /// Why some pages lack the effect.
    pub(super) why: Vec<String>,
}

/// Acts on files; several threads share one worker.
pub(super) struct Worker<'a> {
    wanted: &'a Wanted,
    holders: Mutex<Holders>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(wanted: &'a Wanted) -> Self {
        Self { wanted, holders: Mutex::default() }
    }

    pub(super) fn one(&self, opened: &Opened<'_>) -> io::Result<Done> {
        let file = opened.file;
        if self.wanted.sync {
            file.sync_all()?;
        }
        match self.wanted.action {
            Action::Evict => self.evict(opened),
            Action::Ask => self.ask(file),
            Action::Touch | Action::Lock => self.touch(file),
            Action::Passing(advice) => self.pass(file, advice),
        }
    }

    fn evict(&self, opened: &Opened<'_>) -> io::Result<Done> {
        let file = opened.file;
        let eviction = advise::evict(file, self.wanted.stretch, !self.wanted.no_sync)?;
        let (effect, why) = match eviction.left_pages() {
            Some(0) => (Effect::Whole, Vec::new()),
            Some(_) => (Effect::Partial, self.reasons(opened, &eviction)?),
            None => {
                (Effect::Unknown, vec!["the kernel tells only its owner what is resident".into()])
            }
        };
        let before = eviction.before.map(|before| before.resident_pages);
        let (pages, after) = (eviction.pages, eviction.left_pages());
        Ok(Done { pages, before, after, effect, why })
    }

    /// Why pages may still be there.
    fn reasons(&self, opened: &Opened<'_>, eviction: &Eviction) -> io::Result<Vec<String>> {
        let file = opened.file;
        if file.file_system()? == disk::FileSystem::Memory {
            return Ok(vec!["its file system keeps files in memory alone".into()]);
        }
        let mut why = Vec::new();
        let after = eviction.after.unwrap_or_default();
        let states = after.states.unwrap_or_default();
        let dirty = states.dirty_pages;
        if dirty > 0 {
            let how = if self.wanted.no_sync { "not synced" } else { "written to meanwhile" };
            why.push(format!("{dirty} dirty, {how}"));
        }
        if states.write_back_pages > 0 {
            why.push(format!("{} on their way to the disk", states.write_back_pages));
        }
        let path = Path::new(OsStr::from_bytes(opened.path));
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        why.extend(holders.of(path, file)?);
        if eviction.is_cut {
            why.push("the range may cut large folios, which go whole or not at all".into());
        }
        if why.is_empty() {
            why.push(
                "in use at that moment, or by a process that this user may not look at".into(),
            );
        }
        Ok(why)
    }

    fn ask(&self, file: &File) -> io::Result<Done> {
        let stretch = self.wanted.stretch;
        let before = advise::loaded_pages(file, stretch)?;
        let pages = advise::ask_for(file, stretch)?;
        let after = if self.wanted.wait {
            wait(pages, || advise::loaded_pages(file, stretch))?
        } else {
            advise::loaded_pages(file, stretch)?
        };
        let (effect, why) = match (self.wanted.wait, after) {
            (true, Some(after)) if after < pages => (Effect::Partial, vec![SHORT.into()]),
            (true, None) => {
                (Effect::Unknown, vec!["the kernel tells only its owner what is resident".into()])
            }
            _ => (Effect::Whole, Vec::new()),
        };
        Ok(Done { pages, before, after, effect, why })
    }

    fn touch(&self, file: &File) -> io::Result<Done> {
        let stretch = self.wanted.stretch;
        let before = advise::loaded_pages(file, stretch)?;
        let pages = advise::touch(file, stretch)?;
        let after = advise::loaded_pages(file, stretch)?;
        let is_whole = after.is_none_or(|after| after >= pages);
        let (effect, why) = match is_whole {
            true => (Effect::Whole, Vec::new()),
            false => (Effect::Partial, vec![SHORT.into()]),
        };
        Ok(Done { pages, before, after, effect, why })
    }

    fn pass(&self, file: &File, advice: Advice) -> io::Result<Done> {
        let file_bytes = file.len_bytes()?;
        let bytes = self.wanted.stretch.within(file_bytes);
        file.advise(advice, bytes.start, bytes.end - bytes.start)?;
        let pages = (bytes.end - bytes.start).div_ceil(disk::page_bytes() as u64);
        let (before, after, why) = (None, None, Vec::new());
        Ok(Done { pages, before, after, effect: Effect::Passed, why })
    }
}

/// Why pages did not arrive or were dropped again.
const SHORT: &str = "memory is short, or the disk did not answer";

/// Waits until this many pages are resident; gives up when no more arrive.
fn wait(
    pages: u64,
    mut loaded: impl FnMut() -> io::Result<Option<u64>>,
) -> io::Result<Option<u64>> {
    let (mut most, mut since) = (0, Instant::now());
    loop {
        let Some(there) = loaded()? else { return Ok(None) };
        if there > most {
            (most, since) = (there, Instant::now());
        }
        if there >= pages || since.elapsed() > PATIENCE {
            return Ok(Some(there));
        }
        std::thread::sleep(LOOK);
    }
}
