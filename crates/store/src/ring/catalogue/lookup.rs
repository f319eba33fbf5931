//! Looking things up, one at a time or by prefix.

use std::ops::ControlFlow;

use redb::{ReadTransaction, ReadableDatabase};

use super::entry::{RrdEntry, RrdView};
use super::error::Failure;
use super::guard::Callers;
use super::tables::{FOREIGN, META, NAMED, NAMES, RRDS, applied};
use super::{Catalogue, CatalogueError};
use crate::journal::{LogPosition, RrdId};

impl Catalogue {
    /// What the last commit has applied of the log: records before are in the catalogue.
    ///
    /// # Errors
    /// [`CatalogueError::Io`], [`CatalogueError::Damaged`], [`CatalogueError::Unusable`]; the same
    /// holds for every lookup.
    pub fn applied(&self) -> Result<LogPosition, CatalogueError> {
        self.read("reading the log position", |at, _| applied(&at.open_table(META)?))
    }

    /// The RRD of that name.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn id_of(&self, name: &str) -> Result<Option<RrdId>, CatalogueError> {
        self.read("looking up a name", |at, _| {
            Ok(at.open_table(NAMES)?.get(name.as_bytes())?.map(|id| RrdId(id.value())))
        })
    }

    /// What is known of an RRD.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn entry(&self, rrd: RrdId) -> Result<Option<RrdEntry>, CatalogueError> {
        self.read("looking up an RRD", |at, _| {
            let Some(value) = at.open_table(RRDS)?.get(rrd.0)? else { return Ok(None) };
            let view = RrdView::decode(value.value()).map_err(Failure::value("rrd", rrd.0))?;
            Ok(Some(view.to_entry()))
        })
    }

    /// The name of an RRD.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn name_of(&self, rrd: RrdId) -> Result<Option<String>, CatalogueError> {
        Ok(self.entry(rrd)?.map(|entry| entry.name))
    }

    /// Every name that begins with `prefix`, in the order of bytes.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn names(&self, prefix: &str) -> Result<Vec<(String, RrdId)>, CatalogueError> {
        let mut names = Vec::new();
        self.visit_names(prefix, |name, rrd| {
            names.push((name.into(), rrd));
            ControlFlow::Continue(())
        })?;
        Ok(names)
    }

    /// Hands every name that begins with `prefix` to `visit`, in the order of bytes, until it
    /// breaks.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn visit_names(
        &self,
        prefix: &str,
        mut visit: impl FnMut(&str, RrdId) -> ControlFlow<()>,
    ) -> Result<(), CatalogueError> {
        self.read("listing names", |at, callers| {
            for entry in at.open_table(NAMES)?.range(prefix.as_bytes()..)? {
                let (name, rrd) = entry?;
                let (bytes, rrd) = (name.value(), RrdId(rrd.value()));
                let Ok(name) = str::from_utf8(bytes) else {
                    return Err(Failure::Value(format!("names: {bytes:02x?} is no text")));
                };
                let done = !name.starts_with(prefix) || callers.run(|| visit(name, rrd)).is_break();
                if done {
                    break;
                }
            }
            Ok(())
        })
    }

    /// What an imported file had that gyre does not model.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn foreign(&self, rrd: RrdId) -> Result<Option<Vec<u8>>, CatalogueError> {
        self.read("looking up what is foreign", |at, _| {
            Ok(at.open_table(FOREIGN)?.get(rrd.0)?.map(|bytes| bytes.value().to_vec()))
        })
    }

    /// A small value under a name.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn named(&self, name: &str) -> Result<Option<Vec<u8>>, CatalogueError> {
        self.read("looking up a named value", |at, _| {
            Ok(at.open_table(NAMED)?.get(name)?.map(|bytes| bytes.value().to_vec()))
        })
    }

    /// Runs `work` over the state of the last commit.
    pub(super) fn read<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&ReadTransaction, &Callers) -> Result<T, Failure>,
    ) -> Result<T, CatalogueError> {
        self.guard.run(action, |callers| work(&self.database().begin_read()?, callers))
    }
}
