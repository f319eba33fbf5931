//! What is looked for in one file.

use std::io;

use disk::Identity;
use pagecache::Opened;
use pagecache::residency::{self, Counts, Stretch, Way};

use super::arguments::{Arguments, Shown};
use super::map::Marks;
use super::names::{Named, Naming};

/// Files that a thread takes at once, where each is quickly looked at, and where it is not.
const BATCH_FILES: usize = 256;
const BATCH_FILES_LISTED: usize = 8;

/// What was seen of a file.
#[derive(Debug)]
pub(super) struct Look {
    /// `None` where the kernel does not tell this user.
    pub(super) counts: Option<Counts>,
    pub(super) identity: Identity,
    pub(super) bytes: u64,
    pub(super) detail: Detail,
}

/// What was seen besides its counts.
#[derive(Debug)]
pub(super) enum Detail {
    Nothing,
    /// All its pages, and what they hold.
    Pages(Vec<Stretch>, Vec<Named>),
    Map(Marks),
}

/// How files are looked at.
pub(super) struct Looking {
    way: Way,
    shown: Shown,
    /// Marks of a line.
    width: usize,
    naming: Naming,
}

impl Looking {
    pub(super) fn of(arguments: &Arguments) -> Self {
        Self {
            way: arguments.way,
            shown: arguments.shown.clone(),
            width: super::map::width(arguments.width),
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
        // Only now is the file's header read, in a way that leaves the page cache as it is.
        let names = if named { self.naming.names(opened, &found)? } else { Vec::new() };
        Ok(Detail::Pages(found, names))
    }
}
