//! Restores a snapshot.
//!
//! A file appears complete, with its permissions and times, or not at all. Damaged files are
//! reported, and all others are restored.

use std::collections::VecDeque;
use std::io;
use std::path::{Component, Path, PathBuf};

use disk::{File, FileFacts, FileKind};

use crate::contents::{self, Stretch};
use crate::destination::Destination;
use crate::entry::{Content, Entry, PROGRESS, is_below};
use crate::index::IndexReader;
use crate::packs::Packs;
use crate::pool::{Pool, Ticket};
use crate::{Error, uncached};

/// Files that are written at the same time.
const WRITERS: usize = 8;
/// The prefix of temporary names, followed by a number.
const TEMPORARY: &str = ".gyre-restore";
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// What to restore, and how.
#[derive(Clone, Debug, Default)]
pub struct Restoring {
    /// The number of the snapshot; `None` for the newest.
    pub snapshot: Option<u32>,
    /// Only these paths and everything below them; all if empty.
    pub paths: Vec<PathBuf>,
    /// Whether to replace existing files.
    pub force: bool,
}

/// The result of a restore.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// The number of the snapshot.
    pub number: u32,
    /// Files that were written.
    pub files: u64,
    /// The bytes of the written files.
    pub bytes: u64,
    /// Files that already existed with the same size and time.
    pub there: u64,
    /// Files that could not be restored, and why.
    pub problems: Vec<String>,
}

/// Restores files of a snapshot below a directory.
///
/// # Errors
///
/// There is no such snapshot, its index is damaged, or the directory cannot be written.
pub fn restore(
    root: &Path,
    into: &Path,
    wanted: &Restoring,
    mut show: impl FnMut(&Restored),
) -> Result<Restored, Error> {
    let destination = Destination::open(root)?;
    let number = destination.choose(wanted.snapshot)?;
    let mut reader = IndexReader::open(root, number)?;
    disk::create_directory(into).map_err(Error::io("creating", into))?;
    let packs = Packs::of(root);
    let mut restored = Restored { number, ..Restored::default() };
    let mut found = vec![false; wanted.paths.len()];
    let mut next = || -> Result<Option<Entry>, Error> {
        while let Some(entry) = reader.next_entry()? {
            if !entry.is(PROGRESS) && is_wanted(&entry, wanted, &mut found) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    };
    let below = Below { packs: &packs, into, force: wanted.force };
    let directories = below.put_back_all(&mut next, &mut restored, &mut show)?;
    for (path, _) in wanted.paths.iter().zip(found).filter(|(_, found)| !found) {
        restored.problems.push(format!("{}: the snapshot has none", path.display()));
    }
    // Last, and from below: whatever is made in a directory changes its time.
    for directory in directories.iter().rev() {
        let place = into.join(&directory.path);
        if let Err(error) = disk::set_directory(&place, &directory.facts) {
            let why = disk::system_words(&error);
            restored.problems.push(format!("{}: {why}", place.display()));
        }
    }
    // One sync of the file system instead of one for each file.
    let synced = File::open(into, disk::Mode::Read).and_then(|file| file.sync_file_system());
    synced.map_err(Error::io("syncing", into))?;
    Ok(restored)
}

/// Where files come from, and where they go.
#[derive(Clone, Copy)]
struct Below<'a> {
    packs: &'a Packs,
    into: &'a Path,
    force: bool,
}

impl Below<'_> {
    /// Makes the directories and files that `next` names; several threads write files. Returns the
    /// directories.
    fn put_back_all(
        self,
        next: &mut impl FnMut() -> Result<Option<Entry>, Error>,
        restored: &mut Restored,
        show: &mut impl FnMut(&Restored),
    ) -> Result<Vec<Entry>, Error> {
        let mut directories = Vec::new();
        std::thread::scope(|scope| {
            let pool = Pool::start(scope, WRITERS);
            let mut queue: VecDeque<Ticket<(Entry, Result<Done, Unplaced>)>> = VecDeque::new();
            let mut nth = 0_u64;
            while let Some(entry) = next()? {
                match entry.content {
                    Content::Directory => match make_directory(self.into, &entry) {
                        Ok(()) => directories.push(entry),
                        Err(error) => restored.problem(&entry, &error.into()),
                    },
                    _ => {
                        nth += 1;
                        queue.push_back(pool.submit(move || {
                            let done = self.put_back(&entry, nth);
                            (entry, done)
                        }));
                    }
                }
                if queue.len() > 4 * WRITERS {
                    queue.pop_front().into_iter().for_each(|ticket| restored.take(ticket.wait()));
                    show(restored);
                }
            }
            queue.into_iter().for_each(|ticket| restored.take(ticket.wait()));
            Ok::<(), Error>(())
        })?;
        Ok(directories)
    }

    /// Puts a file or a link back; `nth` tells its temporary name from those of others.
    fn put_back(self, entry: &Entry, nth: u64) -> Result<Done, Unplaced> {
        let Self { packs, into, force } = self;
        let path = place_of(into, entry)?;
        disk::create_parents(&path)?;
        if let Ok(there) = FileFacts::at(&path) {
            let same = (there.kind, there.bytes, there.modified)
                == (entry.facts.kind, entry.facts.bytes, entry.facts.modified);
            if same && there.kind == FileKind::Regular && !force {
                return Ok(Done::WasThere);
            }
            if !force {
                return Err(Unplaced::Exists);
            }
        }
        let temporary = path.with_file_name(format!("{TEMPORARY}.{nth}"));
        let _ = disk::remove_file(&temporary); // of a run that was killed
        let done = match &entry.content {
            Content::Link(target) => disk::create_link(target, &temporary).map_err(Unplaced::from),
            _ => write_file(packs, &temporary, entry),
        };
        let named = done.and_then(|()| {
            let named = match force {
                true => disk::rename(&temporary, &path),
                false => name_new(&temporary, &path),
            };
            Ok(named?)
        });
        if named.is_err() {
            let _ = disk::remove_file(&temporary); // the first error is the one to tell
        }
        named.map(|()| Done::Written)
    }
}

/// Why a file or a directory was not put back.
#[derive(Debug, thiserror::Error)]
enum Unplaced {
    #[error("{}", disk::system_words(.0))]
    Io(#[from] io::Error),
    #[error("it exists already; --force replaces it")]
    Exists,
    #[error("at byte {offset_bytes}: {what}")]
    Damaged { offset_bytes: u64, what: String },
}

/// The result for one file.
enum Done {
    Written,
    WasThere,
}

impl Restored {
    fn take(&mut self, (entry, done): (Entry, Result<Done, Unplaced>)) {
        match done {
            Ok(Done::Written) => {
                self.files += 1;
                self.bytes += entry.facts.bytes;
            }
            Ok(Done::WasThere) => self.there += 1,
            Err(what) => self.problem(&entry, &what),
        }
    }

    fn problem(&mut self, entry: &Entry, what: &Unplaced) {
        self.problems.push(format!("{}: {what}", entry.path.display()));
    }
}

fn is_wanted(entry: &Entry, wanted: &Restoring, found: &mut [bool]) -> bool {
    let mut any = wanted.paths.is_empty();
    for (path, found) in wanted.paths.iter().zip(found) {
        if is_below(&entry.path, path.as_os_str()) {
            (any, *found) = (true, true);
        }
    }
    any
}

/// The path of an entry; refuses a path that leads out of the directory.
fn place_of(into: &Path, entry: &Entry) -> io::Result<PathBuf> {
    let path = Path::new(&entry.path);
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    match inside {
        true => Ok(into.join(path)),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, "the path leads elsewhere")),
    }
}

fn make_directory(into: &Path, entry: &Entry) -> io::Result<()> {
    let path = place_of(into, entry)?;
    disk::create_parents(&path)?;
    match disk::create_single_directory(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_directory = FileFacts::at(&path)?.kind == FileKind::Directory || path.is_dir();
            if is_directory { Ok(()) } else { Err(error) }
        }
        made => made,
    }
}

/// Names a file unless the name is taken; where the file system cannot tell, it was looked at
/// before.
fn name_new(temporary: &Path, path: &Path) -> io::Result<()> {
    match disk::rename_new(temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => disk::rename(temporary, path),
        named => named,
    }
}

fn write_file(packs: &Packs, path: &Path, entry: &Entry) -> Result<(), Unplaced> {
    let facts = &entry.facts;
    let file = File::create(path)?;
    // Only the owner may read it until it has its permissions.
    file.set_permissions(0o600)?;
    let is_sparse = facts.allocated_bytes < facts.bytes;
    if !is_sparse && facts.bytes > 0 {
        file.reserve(facts.bytes)?;
    }
    let damage = contents::read(packs, entry, |offset_bytes, stretch| match stretch {
        Stretch::Bytes(bytes) => uncached::write(&file, bytes, offset_bytes),
        Stretch::Zeros(_) if is_sparse => Ok(()),
        Stretch::Zeros(bytes) => write_zeros(&file, bytes, offset_bytes),
    });
    if let Some(first) = damage?.first() {
        return Err(Unplaced::Damaged {
            offset_bytes: first.offset_bytes,
            what: first.what.to_string(),
        });
    }
    file.truncate(facts.bytes)?;
    let _ = file.set_owner(facts.user, facts.group); // only root may give files away
    file.set_permissions(facts.permissions)?;
    Ok(file.set_modified(facts.modified)?)
}

fn write_zeros(file: &File, bytes: u64, offset_bytes: u64) -> io::Result<()> {
    let mut done_bytes = 0;
    while done_bytes < bytes {
        let piece = &ZEROS[..(bytes - done_bytes).min(ZEROS.len() as u64) as usize];
        uncached::write(file, piece, offset_bytes + done_bytes)?;
        done_bytes += piece.len() as u64;
    }
    Ok(())
}
