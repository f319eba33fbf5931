//! Looking things up, one at a time or by prefix.

use std::ops::ControlFlow;

use journal::{LogPosition, RrdId};
use redb::{ReadTransaction, ReadableDatabase};

use super::entry::{RrdEntry, RrdView};
use super::error::Failure;
use super::guard::Callers;
use super::open::Held;
use super::part::Part;
use super::tables::{FOREIGN, META, NAMED, NAMES, RRDS, applied};
use super::{Catalogue, CatalogueError};

impl Catalogue {
    /// What the last commit has applied of the log: records before are in the catalogue.
    ///
    /// # Errors
    /// [`CatalogueError::Io`], [`CatalogueError::Damaged`], [`CatalogueError::Unusable`]; the same
    /// holds for every lookup.
    pub fn applied(&self) -> Result<LogPosition, CatalogueError> {
        self.look("reading the log position", Part::applied, |at| applied(&at.open_table(META)?))
    }

    /// The RRD of that name.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn id_of(&self, name: &str) -> Result<Option<RrdId>, CatalogueError> {
        let in_part = |part: &Part| part.id_of(name);
        self.look("looking up a name", in_part, |at| {
            Ok(at.open_table(NAMES)?.get(name.as_bytes())?.map(|id| RrdId(id.value())))
        })
    }

    /// What is known of an RRD.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn entry(&self, rrd: RrdId) -> Result<Option<RrdEntry>, CatalogueError> {
        let in_part = |part: &Part| part.entry(rrd);
        self.look("looking up an RRD", in_part, |at| {
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
        self.visit_names(prefix, "", |name, rrd| {
            names.push((name.into(), rrd));
            ControlFlow::Continue(())
        })?;
        Ok(names)
    }

    /// Hands every name that begins with `prefix` to `visit`, from a text on, in the order of
    /// bytes, until it breaks.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn visit_names(
        &self,
        prefix: &str,
        from: &str,
        mut visit: impl FnMut(&str, RrdId) -> ControlFlow<()>,
    ) -> Result<(), CatalogueError> {
        self.read("listing names", |at, callers| {
            for entry in at.open_table(NAMES)?.range(prefix.max(from).as_bytes()..)? {
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
        let in_part = |part: &Part| part.foreign(rrd);
        self.look("looking up what is foreign", in_part, |at| {
            Ok(at.open_table(FOREIGN)?.get(rrd.0)?.map(|bytes| bytes.value().to_vec()))
        })
    }

    /// A small value under a name.
    ///
    /// # Errors
    /// As [`Catalogue::applied`].
    pub fn named(&self, name: &str) -> Result<Option<Vec<u8>>, CatalogueError> {
        let in_part = |part: &Part| part.named(name);
        self.look("looking up a named value", in_part, |at| {
            Ok(at.open_table(NAMED)?.get(name)?.map(|bytes| bytes.value().to_vec()))
        })
    }

    /// Looks something up, however the file is open.
    fn look<T>(
        &self,
        action: &'static str,
        in_part: impl FnOnce(&Part) -> Result<T, Failure>,
        whole: impl FnOnce(&ReadTransaction) -> Result<T, Failure>,
    ) -> Result<T, CatalogueError> {
        match self.held() {
            Held::InPart(part) => self.guard.run(action, |_| in_part(part)),
            Held::Whole(_) => self.read(action, |at, _| whole(at)),
        }
    }

    /// Runs `work` over the state of the last commit.
    pub(super) fn read<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&ReadTransaction, &Callers) -> Result<T, Failure>,
    ) -> Result<T, CatalogueError> {
        let Held::Whole(database) = self.held() else {
            return Err(CatalogueError::Unusable { action });
        };
        self.guard.run(action, |callers| work(&database.begin_read()?, callers))
    }
}
