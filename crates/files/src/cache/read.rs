//! Reads: what the file holds, with the pending samples taken, and nothing written.

use std::path::Path;
use std::sync::Arc;

use rrd::{Sample, Stretch, Timestamp};
use rrdfile::Header;
use store::{Error, Outline, Wanted};

use super::clock::Clock;
use super::head_reader::HeadReader;
use super::pending::{End, Pending};
use super::settler::Settler;
use super::table::Table;
use crate::{Access, RrdFile};

/// Reads files as if their pending samples were in them.
pub(super) struct Reader {
    pub(super) clock: Clock,
    pub(super) table: Arc<Table>,
    pub(super) settler: Arc<Settler>,
}

impl Reader {
    /// What `work` makes of a file, with the pending samples taken.
    ///
    /// # Errors
    /// The file cannot be read; those of `work`.
    pub(super) fn read<T>(
        &self,
        path: &Path,
        work: impl Fn(&RrdFile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let of_entry = self.table.hold_known(path, |entry, mut state| {
            self.settler.ensure_settled(entry, &mut state, &mut HeadReader::default())?;
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

    /// Definition and live state.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn header(&self, path: &Path) -> Result<Header, Error> {
        self.read(path, |file| Ok(file.header().clone()))
    }

    /// Definition, and when the last update was.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn outline(&self, path: &Path) -> Result<Outline, Error> {
        let Header { definition, live, .. } = self.header(path)?;
        Ok(Outline { definition, last_update: live.last_update })
    }

    /// When the last update was.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn last_update(&self, path: &Path) -> Result<Timestamp, Error> {
        let known = self.table.hold_known(path, |entry, mut state| {
            self.settler.look(entry, &mut state, &mut HeadReader::default()).ok()?;
            let known = state.known.as_ref()?;
            Some(known.shape.last_update(&known.sources))
        });
        match known.flatten() {
            Some(time) => Ok(time),
            None => self.read(path, |file| Ok(file.header().live.last_update)),
        }
    }

    /// The answers to queries about one file, at these positions.
    pub(super) fn fetch_each(
        &self,
        wanted: &[Wanted<'_>],
        positions: &[usize],
    ) -> Vec<Result<Stretch, Error>> {
        let query = |position: &usize| &wanted[*position].query;
        let all = self.read(wanted[positions[0]].name, |file| {
            Ok(positions.iter().map(|position| file.fetch_stretch(query(position))).collect())
        });
        // Where the file cannot be read each of them is told why.
        let by_itself = |position: &usize| {
            self.read(wanted[*position].name, |file| file.fetch_stretch(query(position)))
        };
        all.unwrap_or_else(|_| positions.iter().map(by_itself).collect())
    }

    /// The samples that are not in the file yet, as they came; `None` if nothing is known of it.
    pub(super) fn pending(&self, path: &Path) -> Option<Vec<String>> {
        self.table.hold_known(path, |entry, mut state| {
            // Where it fails, the next update or read fails with it.
            let _ = self.settler.ensure_settled(entry, &mut state, &mut HeadReader::default());
            if state.logged.aside.is_some() {
                return state.samples_aside();
            }
            state.pending.iter().map(|(text, _)| text.to_owned()).collect()
        })
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
