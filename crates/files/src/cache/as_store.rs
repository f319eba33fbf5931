//! The cache as a store: a name is a file's path.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::GoesOn;
use rrd::fetch::Query;
use rrd::{Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{
    AtOnce, Deferred, Edit, Error, Flushed, Follow, Making, NamePattern, NamesPage, Outline,
    Refused, RowsSince, Store, TakeRows, Update, Wanted, Watch,
};

use super::FileCache;
use super::write_back::Flushed as Written;
use crate::RrdFiles;
use crate::by_file::by_file;
use crate::edit::tell_of_edit;

impl FileCache {
    /// The files themselves, for a thread that holds their entries.
    fn files() -> RrdFiles {
        RrdFiles::anywhere(0)
    }
}

impl Store for FileCache {
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        let make = |making: &Making<'_>| {
            let make = || Self::files().make(&[*making], goes_on);
            let failed = self.change(making.new.name, make)?.pop();
            failed.map_or(Ok(()), |(_, error)| Err(error))
        };
        let made = new.iter().map(make).enumerate();
        let failures: Vec<_> = made.filter_map(|(nth, made)| Some((nth, made.err()?))).collect();
        self.follower.made(new, &failures);
        failures
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let refused = self.append(batch);
        self.follower.updated(batch);
        refused
    }

    fn update_at_once(&self, batch: &[Update<'_>]) -> AtOnce {
        let at_once = self.updates.append_at_once(batch);
        self.follower.updated(batch);
        at_once
    }

    fn acknowledges_on_disk(&self) -> bool {
        self.journaled.as_ref().is_some_and(|journaled| journaled.log.waits_for_disk())
    }

    /// What waits is written first, so that the file itself takes the samples.
    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused> {
        let take = || Self::files().update_watched(update, watch);
        let taken = self.change(update.name, take).map_err(Refused::first);
        self.follower.updated(std::slice::from_ref(update));
        taken?
    }

    fn outline(&self, name: &Path) -> Result<Outline, Error> {
        self.reader.outline(name)
    }

    fn header(&self, name: &Path) -> Result<Header, Error> {
        Self::header(self, name)
    }

    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error> {
        Self::fetch(self, name, query)
    }

    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error> {
        Self::fetch_stretch(self, name, query)
    }

    /// Each file is opened once, in the order of the inodes; the answers of one file are in memory
    /// together.
    fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> Result<(), Error> {
        let inode = |name: &Path| disk::File::identity_of(name).ok();
        let mut files = by_file(wanted, |name| inode(name).map(|(identity, _)| identity));
        let _: ControlFlow<()> = files.try_for_each(|positions| {
            let answers = self.reader.fetch_each(wanted, &positions);
            positions.iter().zip(answers).try_for_each(|(position, answer)| take(*position, answer))
        });
        Ok(())
    }

    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        Self::rows_since(self, name, mark_seconds)
    }

    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error> {
        self.snapshot(name)
    }

    fn has(&self, name: &Path) -> bool {
        disk::File::identity_of(name).is_ok()
    }

    fn edit(&self, name: &Path, edit: &Edit<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        let done = self.change(name, || Self::files().edit(name, edit, goes_on))?;
        tell_of_edit(&self.follower, name, edit, &done);
        done
    }

    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        Self::files().names_from(pattern, from, limit)
    }

    fn names_like(&self, pattern: &NamePattern) -> Result<Vec<String>, Error> {
        Self::files().names_like(pattern)
    }

    fn deferred(&self) -> Option<&dyn Deferred> {
        Some(self)
    }

    fn incarnation(&self, name: &Path) -> u64 {
        Self::files().incarnation(name)
    }

    fn follow(&self, follow: Arc<dyn Follow>) -> bool {
        self.follower.set(follow)
    }
}

impl Deferred for FileCache {
    fn flush(&self, name: &Path) -> Result<Flushed, Error> {
        let is_known = Self::pending(self, name).is_some();
        match Self::flush(self, name)? {
            Written::Nothing if !is_known && !name.is_file() => Err(Error::missing(name)),
            Written::Nothing if !is_known => Ok(Flushed::Nothing),
            _ => Ok(Flushed::Written),
        }
    }

    fn flush_all(&self) {
        Self::flush_all(self);
    }

    fn pending(&self, name: &Path) -> Vec<String> {
        Self::pending(self, name).unwrap_or_default()
    }

    fn forget(&self, name: &Path) -> Result<(), Error> {
        if Self::forget(self, name)? { Ok(()) } else { Err(Error::missing(name)) }
    }

    fn queue(&self) -> Vec<(u64, PathBuf)> {
        Self::queue(self)
    }

    fn suspend(&self, name: &Path) -> Result<bool, Error> {
        Self::suspend(self, name).ok_or_else(|| Error::missing(name))
    }

    fn resume(&self, name: &Path) -> Result<bool, Error> {
        Self::resume(self, name).ok_or_else(|| Error::missing(name))
    }

    fn suspend_all(&self) -> u64 {
        Self::suspend_all(self)
    }

    fn resume_all(&self) -> u64 {
        Self::resume_all(self)
    }
}
