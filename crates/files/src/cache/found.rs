//! What opening the log found, until every file of it is settled.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use disk::PosixMedium;
use store::Error;
use tracing_mutex::stdsync::Mutex;

use super::entry::{Entry, EntryState};
use super::kept_records::KeptRecords;
use super::report::Gauge;
use super::settle::{Settled, settle};
use super::step::Step;
use super::{Legacy, Log, Replay, legacy};
use crate::RrdFile;

/// What opening the log found.
#[derive(Debug)]
pub(super) struct Found {
    /// Until every file of it is settled, or its records are copied.
    replay: Mutex<Option<Arc<Replay>>>,
    /// The names of rrdcached's own journals that are being taken over.
    legacy: Mutex<Vec<String>>,
    /// Files that wait for samples of the log and are not there.
    absent: Gauge,
}

impl Found {
    pub(super) fn new(replay: Replay) -> Self {
        let replay = Mutex::new(Some(Arc::new(replay)));
        Self { replay, legacy: Mutex::default(), absent: Gauge::default() }
    }

    /// What opening found.
    pub(super) fn replay(&self) -> Option<Arc<Replay>> {
        self.replay.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the memory of it back: every file is settled.
    pub(super) fn drop_replay(&self) {
        *self.replay.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Reads what rrdcached's own journals have: values for each file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn read_legacy(
        &self,
        directory: &Path,
        base: &Path,
        note: impl Fn(String),
    ) -> Result<Legacy, Error> {
        let medium = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        let mut legacy = Legacy::read(&medium, base, note)
            .map_err(|(name, error)| Error::io("reading", &directory.join(name))(error))?;
        *self.legacy.lock().unwrap_or_else(PoisonError::into_inner) =
            std::mem::take(&mut legacy.names);
        Ok(legacy)
    }

    /// Takes rrdcached's own journals away: the log has durably what they had.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Journal`]; they are taken over again then, which changes nothing.
    pub(super) fn remove_legacy(
        &self,
        directory: &Path,
        log: &Log<PosixMedium>,
    ) -> Result<(), Error> {
        let names =
            std::mem::take(&mut *self.legacy.lock().unwrap_or_else(PoisonError::into_inner));
        if names.is_empty() {
            return Ok(());
        }
        log.commit()?;
        let medium = PosixMedium::open(directory).map_err(Error::io("opening", directory))?;
        legacy::remove(&medium, &names).map_err(Error::io("removing", directory))
    }

    /// What is to be done with a file, by what the log has of it.
    pub(super) fn settled(&self, state: &EntryState, file: &RrdFile) -> Result<Settled, Error> {
        let (header, bytes) = (file.header(), file.header_bytes());
        if let Some(kept) = &state.logged.aside {
            return Ok(settle(kept.steps(), header, bytes)?);
        }
        let replay = self.replay().expect("it is kept until every file is settled or aside");
        let steps = state.logged.unsettled.iter().flat_map(|(number, _)| replay.steps(*number));
        Ok(settle(steps, header, bytes)?)
    }

    /// Whether all that the log has of a file stands behind one base, as what is logged of pending
    /// samples does: a FORGET takes back what stands behind the last one.
    pub(super) fn has_one_base(&self, entry: &Entry, state: &EntryState) -> bool {
        let [(number, _)] = state.logged.unsettled[..] else { return false };
        if number.0 != entry.id {
            // New samples get the number of the entry.
            return false;
        }
        if let Some(kept) = &state.logged.aside {
            return kept.steps().filter(|step| matches!(step, Ok(Step::Base(_)))).count() == 1;
        }
        self.replay().is_some_and(|replay| replay.has_one_base(number))
    }

    /// Keeps what the log has of a file that is absent, or not whole, until it is back: a copy of
    /// its records, so that what else was found at opening can be given up.
    pub(super) fn set_aside(&self, state: &mut EntryState) {
        if let Some(kept) = &mut state.logged.aside {
            if !std::mem::replace(&mut kept.counts, true) {
                self.absent.add();
            }
            return;
        }
        let replay = self.replay().expect("it is kept until every file is settled or aside");
        let mut kept = KeptRecords::of_absent_file();
        for (number, _) in &state.logged.unsettled {
            replay.copy_records(*number, &mut kept);
        }
        state.logged.aside = Some(Box::new(kept));
        self.absent.add();
    }

    /// Gives up such a copy: its file has what it holds, or FORGET dropped it.
    pub(super) fn take_from_aside(&self, state: &mut EntryState) {
        let Some(kept) = state.logged.aside.take() else { return };
        if kept.counts {
            self.absent.remove();
        }
    }

    /// How many files are absent.
    pub(super) fn count_absent(&self) -> u64 {
        self.absent.get()
    }
}
