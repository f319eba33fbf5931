//! A few databases of a store that no process has open.
//!
//! Opening a store reads every name and every checkpoint and replays the log for all of them. Here
//! the catalogue is asked for one name, the group of that database is opened, and of the log only
//! the records of that group are applied; the next name that is asked for may need another group.
//! Nothing is written: what an opening mends is mended in memory.
//!
//! ```text
//!   name ── catalogue ──▶ group ── checkpoint, attic, its records in the log ──▶ what is read
//!     └──── log: is the name that of a database in another group since? ──▶ that group, too
//! ```
//!
//! Where a part of the store cannot be opened by itself, all of it is, and says what is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use disk::{AnyMedium, HeldLock, Medium, PosixMedium};
use rrd::fetch::Query;
use rrd::{Definition, LiveState, Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{Error, Outline, Wanted};

use super::RingOptions;
use super::catalogue::{Catalogue, GroupId};
use super::engine::{Engine, open_groups, open_untouched};
use super::store_lock::shared_lock_of;

/// So often a part of the store is opened; then all of it, which costs less than that many parts.
const PARTS_MAX: usize = 8;

/// A few databases of a store that no process has open, looked up as they are asked for.
///
/// As long as it lives no process can write the store; others can look things up at the same time.
#[derive(Debug)]
pub struct LookUp {
    below: AnyMedium,
    options: RingOptions,
    parts: Mutex<Vec<Arc<Part>>>,
    // Last, so that the lock outlives everything else.
    _lock: Option<HeldLock>,
}

/// Some groups of the store, open.
#[derive(Debug)]
struct Part {
    engine: Engine<AnyMedium>,
    /// `None` where all are open.
    groups: Option<BTreeSet<GroupId>>,
}

impl LookUp {
    /// Of the store in a directory.
    pub(super) fn at(root: &Path, options: RingOptions) -> Result<Self, Error> {
        let lock = shared_lock_of(root)?;
        let below = PosixMedium::open(root).map_err(Error::io("opening", root))?;
        Ok(Self { _lock: Some(lock), ..Self::over(below, options) })
    }

    /// Of a store on a medium, which no process writes meanwhile.
    #[must_use]
    pub fn over<M: Medium<File: 'static>>(medium: M, options: RingOptions) -> Self {
        Self { below: AnyMedium::of(medium), options, parts: Mutex::default(), _lock: None }
    }

    /// Whether there is a database of that name, be it one that does not answer.
    ///
    /// # Errors
    /// What is needed of the store is damaged; those of the machine. So it is with all that follow.
    pub fn has(&self, name: &str) -> Result<bool, Error> {
        Ok(self.part_with(name)?.engine.has(name))
    }

    /// What the store knows of a database without reading its rows.
    ///
    /// # Errors
    /// There is no such database, or it does not answer.
    pub fn outline(&self, name: &str) -> Result<Outline, Error> {
        self.part_with(name)?.engine.outline(name)
    }

    /// Definition and live state.
    ///
    /// # Errors
    /// As [`LookUp::outline`].
    pub fn describe(&self, name: &str) -> Result<(Definition, LiveState), Error> {
        self.part_with(name)?.engine.describe(name)
    }

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As [`LookUp::outline`]; it has no archive for the query.
    pub fn fetch(&self, name: &str, query: &Query) -> Result<Series, Error> {
        self.part_with(name)?.engine.fetch(name, query)
    }

    /// The same without the rows that the archive does not hold.
    ///
    /// # Errors
    /// As [`LookUp::fetch`].
    pub fn fetch_stretch(&self, name: &str, query: &Query) -> Result<Stretch, Error> {
        self.part_with(name)?.engine.fetch_stretch(name, query)
    }

    /// The rows that answer many queries, in their order. The databases of each part are asked
    /// together.
    pub fn fetch_all(&self, wanted: &[Wanted<'_>]) -> Vec<Result<Stretch, Error>> {
        let mut answers = BTreeMap::new();
        let mut parts: Vec<(Arc<Part>, Vec<usize>)> = Vec::new();
        for (position, each) in wanted.iter().enumerate() {
            let name = each.name.to_str().ok_or_else(|| Error::missing(each.name));
            match name.and_then(|name| self.part_with(name)) {
                Err(error) => drop(answers.insert(position, Err(error))),
                Ok(part) => match parts.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &part)) {
                    Some((_, positions)) => positions.push(position),
                    None => parts.push((part, vec![position])),
                },
            }
        }
        for (part, positions) in parts {
            let of_part: Vec<_> = positions.iter().map(|position| wanted[*position]).collect();
            let _: ControlFlow<()> = part.engine.fetch_many(&of_part, &mut |nth, answer| {
                answers.insert(positions[nth], answer);
                ControlFlow::Continue(())
            });
        }
        answers.into_values().collect()
    }

    /// The whole database.
    ///
    /// # Errors
    /// As [`LookUp::outline`].
    pub fn snapshot(&self, name: &str) -> Result<Snapshot, Error> {
        self.part_with(name)?.engine.snapshot(name)
    }

    /// The head of the file that a database would be.
    ///
    /// # Errors
    /// As [`LookUp::outline`].
    pub fn header(&self, name: &str) -> Result<Header, Error> {
        self.part_with(name)?.engine.header(name)
    }

    /// The whole database, and the head of the file that it would be.
    ///
    /// # Errors
    /// As [`LookUp::outline`].
    pub fn whole(&self, name: &str) -> Result<(Header, Snapshot), Error> {
        self.part_with(name)?.engine.departures().one(name)?.whole()
    }

    /// The bytes of the file that a database would be; what an imported file had of its own is in
    /// them.
    ///
    /// # Errors
    /// As [`LookUp::outline`].
    pub fn image(&self, name: &str) -> Result<Vec<u8>, Error> {
        self.part_with(name)?.engine.departures().one(name)?.file_bytes()
    }

    /// Whether all of the store was opened, for a part of it could not be by itself or too many
    /// were asked for.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().any(|part| part.groups.is_none())
    }

    /// A part of the store that knows whether there is a database of that name, and answers for it.
    fn part_with(&self, name: &str) -> Result<Arc<Part>, Error> {
        // Threads that ask for databases of one group shall not each open it.
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole) = parts.iter().find(|part| part.groups.is_none()) {
            return Ok(Arc::clone(whole));
        }
        match self.find_part(&mut parts, name) {
            Ok(Some(part)) => Ok(part),
            // All of the store then says what is wrong, if it cannot do without what is damaged.
            Ok(None) | Err(_) => {
                let engine = open_untouched(&self.below, self.options)?;
                let whole = Arc::new(Part { engine, groups: None });
                *parts = vec![Arc::clone(&whole)];
                Ok(whole)
            }
        }
    }

    /// Finds a part that answers for a name, or opens one; `None` if all of the store is to be
    /// opened.
    fn find_part(
        &self,
        parts: &mut Vec<Arc<Part>>,
        name: &str,
    ) -> Result<Option<Arc<Part>>, Error> {
        let catalogue = Catalogue::open_in_part(&self.below)?;
        let mut groups: BTreeSet<GroupId> =
            catalogue.id_of(name)?.map(GroupId::of).into_iter().collect();
        loop {
            // Each part has read all names that the log gives to databases of other groups.
            parts.iter().for_each(|part| groups.extend(part.engine.elsewhere(name)));
            if let Some(part) = parts.iter().find(|part| part.has_all(&groups, name)) {
                return Ok(Some(Arc::clone(part)));
            }
            if parts.len() == PARTS_MAX {
                return Ok(None);
            }
            let engine = open_groups(&self.below, self.options, &groups)?;
            parts.push(Arc::new(Part { engine, groups: Some(groups.clone()) }));
        }
    }
}

impl Part {
    /// Whether it has these groups, and those of all databases to which the log gives a name.
    fn has_all(&self, groups: &BTreeSet<GroupId>, name: &str) -> bool {
        let Some(open) = &self.groups else { return true };
        groups.is_subset(open) && self.engine.elsewhere(name).all(|group| open.contains(&group))
    }
}
