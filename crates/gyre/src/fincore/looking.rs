//! Inspects one file.

use std::io;

use pagecache::Opened;
use pagecache::residency::{self, Way};

use super::arguments::{Arguments, Shown};
use super::look::{Detail, Look};
use super::marks::Marks;
use super::names::Naming;

/// Files in the batch of a thread: many where looking at a file is quick, few where it is slow.
const BATCH_FILES: usize = 256;
const BATCH_FILES_LISTED: usize = 8;

/// How files are looked at.
pub(super) struct Looking {
    way: Way,
    shown: Shown,
    /// The number of marks on a line.
    width: usize,
    naming: Naming,
}

impl Looking {
    pub(super) fn of(arguments: &Arguments) -> Self {
        Self {
            way: arguments.way,
            shown: arguments.shown.clone(),
            width: super::marks::width(arguments.width),
            naming: Naming::default(),
        }
    }

    pub(super) fn batch_files(&self) -> usize {
        match self.shown {
            Shown::Pages { .. } | Shown::Map => BATCH_FILES_LISTED,
            _ => BATCH_FILES,
        }
    }

    pub(super) fn look(&self, opened: &Opened<'_>) -> io::Result<Look> {
        let bytes = opened.facts.bytes;
        let counts = residency::count_of(opened.file, bytes, self.way)?;
        let detail = match self.shown {
            Shown::Pages { named } if counts.is_some() => self.pages(opened, named)?,
            Shown::Map if counts.is_some() => {
                let mut marks = Marks::new(self.width, counts.map_or(0, |counts| counts.pages));
                residency::stretches(opened.file, bytes, self.way, &mut |each| marks.add(&each))?;
                Detail::Map(marks)
            }
            _ => Detail::Nothing,
        };
        Ok(Look { counts, identity: opened.facts.identity, bytes, detail })
    }

    fn pages(&self, opened: &Opened<'_>, named: bool) -> io::Result<Detail> {
        let mut found = Vec::new();
        let bytes = opened.facts.bytes;
        residency::stretches(opened.file, bytes, self.way, &mut |stretch| found.push(stretch))?;
        // The file's header is read only now, in a way that leaves the page cache as it is.
        let names = if named { self.naming.names(opened, &found)? } else { Vec::new() };
        Ok(Detail::Pages(found, names))
    }
}
