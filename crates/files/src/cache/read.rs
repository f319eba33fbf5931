//! Reads: what the file holds, with the pending samples taken, and nothing written.

use std::path::Path;

use rrd::fetch::Query;
use rrd::{Sample, Series, Snapshot, Stretch, Timestamp};
use rrdfile::Header;
use store::{Error, RowsSince, Wanted};

use super::load::HeadReader;
use super::pending::{End, Pending};
use super::{Core, FileCache};
use crate::{Access, RrdFile};

impl FileCache {
    /// Definition and live state.
    ///
    /// # Errors
    /// The file cannot be read; as with all reads.
    pub fn header(&self, path: &Path) -> Result<Header, Error> {
        self.core.read(path, |file| Ok(file.header().clone()))
    }

    /// When the last update was.
    ///
    /// # Errors
    /// As [`FileCache::header`].
    pub fn last_update(&self, path: &Path) -> Result<Timestamp, Error> {
        let core = &self.core;
        let known = core.hold_known(path, |entry, mut state| {
            core.look(entry, &mut state, &mut HeadReader::default()).ok()?;
            let known = state.known.as_ref()?;
            Some(known.shape.last_update(&known.sources))
        });
        match known.flatten() {
            Some(time) => Ok(time),
            None => core.read(path, |file| Ok(file.header().live.last_update)),
        }
    }

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As [`FileCache::header`]; no archive answers it.
    pub fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Error> {
        self.core.read(path, |file| file.fetch(query))
    }

    /// The same without the rows that no archive holds.
    ///
    /// # Errors
    /// As [`FileCache::fetch`].
    pub fn fetch_stretch(&self, path: &Path, query: &Query) -> Result<Stretch, Error> {
        self.core.read(path, |file| file.fetch_stretch(query))
    }

    /// The rows that became final after a mark, with those of the samples that wait.
    ///
    /// # Errors
    /// As [`FileCache::header`].
    pub fn rows_since(&self, path: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.core.read(path, |file| file.rows_since(mark_seconds))
    }

    /// The answers to queries about one file, at these positions.
    pub(super) fn fetch_each(
        &self,
        wanted: &[Wanted<'_>],
        positions: &[usize],
    ) -> Vec<Result<Stretch, Error>> {
        let query = |position: &usize| &wanted[*position].query;
        let all = self.core.read(wanted[positions[0]].name, |file| {
            Ok(positions.iter().map(|position| file.fetch_stretch(query(position))).collect())
        });
        // Where the file cannot be read each of them is told why.
        let by_itself =
            |position: &usize| self.fetch_stretch(wanted[*position].name, query(position));
        all.unwrap_or_else(|_| positions.iter().map(by_itself).collect())
    }

    /// The whole database.
    ///
    /// # Errors
    /// As [`FileCache::header`].
    pub fn snapshot(&self, path: &Path) -> Result<(Header, Snapshot), Error> {
        self.core.read(path, |file| Ok((file.header().clone(), file.snapshot()?)))
    }

    /// The samples that are not in the file yet, as they came; `None` if nothing is known of it.
    #[must_use]
    pub fn pending(&self, path: &Path) -> Option<Vec<String>> {
        self.core.hold_known(path, |entry, mut state| {
            // Where it fails, the next update or read fails with it.
            let _ = self.core.ensure_settled(entry, &mut state, &mut HeadReader::default());
            if state.logged.aside.is_some() {
                return self.core.samples_aside(&state);
            }
            state.pending.iter().map(|(text, _)| text.to_owned()).collect()
        })
    }
}

impl Core {
    fn read<T>(
        &self,
        path: &Path,
        work: impl Fn(&RrdFile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let of_entry = self.hold_known(path, |entry, mut state| {
            self.ensure_settled(entry, &mut state, &mut HeadReader::default())?;
            state.used = self.clock.now();
            // Held until all is read, so that no write-back comes between head and rows.
            let mut file = RrdFile::open(path, Access::Read)?;
            if !state.pending.is_empty() {
                file.read_seasons()?;
                take_pending(&mut file, &state.pending);
            }
            work(&file)
        });
        of_entry.unwrap_or_else(|| work(&RrdFile::open(path, Access::Read)?))
    }
}

/// Takes pending samples into a file, of which nothing is written yet. Returns how many it took;
/// those that it refuses leave no trace.
pub(super) fn take_pending(file: &mut RrdFile, pending: &Pending) -> u32 {
    let reader = rrd::SampleReader::in_order(&file.header().definition);
    let mut readings = Vec::new();
    let mut taken = 0;
    for (text, end) in pending.iter() {
        let sample = reader.read_numbered(text, &mut readings);
        let appended = sample
            .is_ok_and(|time| file.append_or_leave(&Sample { time, readings: &readings }).is_ok());
        taken += u32::from(appended);
        if end == End::Command {
            // One that fails leaves the rings before the failing one smoothed, as rrdtool does.
            let _ = file.smooth_seasons();
        }
    }
    taken
}
