//! Reads a file while other programs may write it.
//!
//! The reader takes no lock: an update by rrdtool fails if it cannot lock the file, so a lock would
//! cost samples. A read is valid if the file was not written meanwhile, which needs two conditions:
//!
//! * Its times are the same before and after. They must also be so old that a later write would
//!   have changed them, given the resolution of the kernel's clock for file times.
//! * After the first look, no process held a lock for writing. rrdtool writes through a mapping,
//!   which changes the time at the first byte and not at the last, and holds its lock until it is
//!   done.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use disk::{Advice, File, FileFacts, FileKind, Mode, Moment};

use crate::Watch;
use crate::entry::Entry;
use crate::previous::Known;
use crate::table::{Table, hashes_of};
use crate::uncached;

/// The kernel's clock for file times ticks at least every 10 ms.
const MARGIN_NANOSECONDS: i128 = 20_000_000;
/// The most attempts to read a file that keeps changing.
pub(crate) const TRIES: u32 = 60;
/// Larger files are read in pieces.
pub(crate) const SMALL_BYTES: u64 = 1 << 20;

/// The result of inspecting a file.
#[derive(Debug)]
pub(crate) enum Looked {
    /// It is unchanged since this entry was made.
    Unchanged(Box<Entry>),
    Read(Box<Content>),
    /// It is too large to be read at once.
    Large(Known),
    /// It no longer exists, or is no file any more.
    Gone,
    Failed(io::Error),
}

/// The content of a small file.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) facts: FileFacts,
    pub(crate) bytes: Vec<u8>,
    pub(crate) hashes: Vec<u64>,
    pub(crate) settled: bool,
    pub(crate) known: Known,
    /// Its table in an earlier run.
    pub(crate) previous: Option<Table>,
}

/// Whether a write now could leave the file's times as they are.
pub(crate) fn is_racy(facts: &FileFacts, now: Moment) -> bool {
    let nanoseconds = |moment: Moment| {
        i128::from(moment.seconds) * 1_000_000_000 + i128::from(moment.nanoseconds)
    };
    (nanoseconds(now) - nanoseconds(facts.changed)).abs() < MARGIN_NANOSECONDS
}

/// Whether the metadata of two looks shows that the file was not written in between.
pub(crate) fn is_same(before: &FileFacts, after: &FileFacts) -> bool {
    (before.changed, before.modified, before.bytes, before.identity)
        == (after.changed, after.modified, after.bytes, after.identity)
}

/// Whether a read that begins now may be valid: as far as one look tells, no process is writing the
/// file.
pub(crate) fn is_quiet(file: &File, before: &FileFacts, now: Moment) -> bool {
    // A file system without locks counts as not locked.
    !is_racy(before, now) && !file.is_locked(Mode::Read).unwrap_or(false)
}

/// Reads a whole file into `bytes` as it was at one moment, even while other programs update it,
/// and takes no lock. `now` reads the clock that the kernel uses for file times.
///
/// # Errors
///
/// Those of the file; `ResourceBusy` if it was written during each of many attempts.
pub fn read_whole(path: &Path, bytes: &mut Vec<u8>, now: impl Fn() -> Moment) -> io::Result<()> {
    for attempt in 0..TRIES {
        wait_before(attempt);
        // The name may lead to another file by now.
        let file = File::open(path, Mode::Read)?;
        let before = file.facts()?;
        if !is_quiet(&file, &before, now()) {
            continue;
        }
        match before.bytes <= bytes.capacity() as u64 {
            true => bytes.resize(before.bytes as usize, 0),
            false => *bytes = disk::zeroed(before.bytes)?,
        }
        let read = file.read_at(bytes, 0)?;
        if read == bytes.len() && is_same(&before, &file.facts()?) {
            return Ok(());
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program writes it all the time"))
}

/// Waits before a file is read again.
pub(crate) fn wait_before(attempt: u32) {
    if attempt > 0 {
        std::thread::sleep(Duration::from_millis(u64::from(attempt.min(10)) * 3));
    }
}

/// Opens a file for reading it in pieces.
pub(crate) fn open(path: &Path) -> io::Result<Arc<File>> {
    let file = File::open(path, Mode::Read)?;
    // Readahead would load pages into the page cache that are never dropped.
    let _ = file.advise(Advice::Random, 0, 0);
    Ok(Arc::new(file))
}

/// Inspects a file, and reads it if that is necessary and it is small.
pub(crate) fn look(path: &Path, known: Known, read_all: bool, watch: &dyn Watch) -> Looked {
    match try_look(path, known, read_all, watch) {
        Ok(looked) => looked,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Looked::Gone,
        Err(error) => Looked::Failed(error),
    }
}

fn try_look(
    path: &Path,
    mut known: Known,
    read_all: bool,
    watch: &dyn Watch,
) -> io::Result<Looked> {
    if !read_all {
        // Most files of most runs: not even opened.
        let facts = FileFacts::at(path)?;
        if let Some(nth) = known.iter().position(|entry| entry.is_current(&facts)) {
            return Ok(Looked::Unchanged(Box::new(renewed(known.swap_remove(nth), facts))));
        }
    }
    for attempt in 0..TRIES {
        wait_before(attempt);
        let file = open(path)?;
        let before = file.facts()?;
        if before.kind != FileKind::Regular {
            return Ok(Looked::Gone);
        }
        if before.bytes > SMALL_BYTES {
            return Ok(Looked::Large(known));
        }
        let is_last = attempt + 1 == TRIES;
        let quiet = is_quiet(&file, &before, watch.now());
        if quiet || is_last {
            let mut content = read_small(&file, before, quiet)?;
            if content.settled || is_last {
                (content.hashes, content.known) = (hashes_of(&content.bytes), known);
                return Ok(Looked::Read(Box::new(content)));
            }
        }
    }
    unreachable!("the last try returns")
}

/// Reads a small file, without what is to be computed of it; `quiet` says whether it may be whole.
fn read_small(file: &File, before: FileFacts, quiet: bool) -> io::Result<Content> {
    let mut bytes = vec![0; before.bytes as usize];
    let read = uncached::read(file, &mut bytes, 0)?;
    let settled = quiet && is_same(&before, &file.facts()?) && read == bytes.len();
    bytes.truncate(read);
    let facts = FileFacts { bytes: read as u64, ..before };
    let (hashes, known) = (Vec::new(), Known::new());
    Ok(Content { facts, bytes, hashes, settled, known, previous: None })
}

/// An entry of an earlier run, for this one.
pub(crate) fn renewed(entry: Entry, facts: FileFacts) -> Entry {
    Entry { flags: 0, facts, ..entry }
}

/// Whether a name is that of a round robin database, whose copy must be of one moment.
pub(crate) fn is_database(path: &OsStr) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rrd")
}
