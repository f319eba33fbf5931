//! A run: makes a new snapshot of a tree.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

use disk::{FileFacts, FileKind};
use ring::RingStore;

use crate::copy::{Copier, Fault, newest_table};
use crate::destination::{Destination, Numbers};
use crate::entry::{Content, Entry};
use crate::index::{Head, IndexReader, IndexWriter};
use crate::pack::PackWriter;
use crate::packs::Packs;
use crate::pool::{Pool, Ticket};
use crate::previous::{Known, Previous};
use crate::report::{Report, Watch};
use crate::steady::{Looked, look};
use crate::walk::Walk;
use crate::{Error, ring_store};

/// How many files ahead of the current one are inspected.
const AHEAD: usize = 48;

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Use no earlier pack.
    pub full: bool,
    /// Read all files, even those that seem unchanged.
    pub read_all: bool,
    /// Read the written data back before the snapshot is published.
    pub verify: bool,
    /// Remove all snapshots except the newest `keep`.
    pub keep: Option<usize>,
    /// The number of concurrent reads.
    pub readers: usize,
    /// How much to copy between two syncs: a killed run loses about this much.
    pub sync_every_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            full: false,
            read_all: false,
            verify: true,
            keep: None,
            readers: 8,
            sync_every_bytes: 128 << 20,
        }
    }
}

/// Copies everything new in a directory, or in a ring store, to a backup, as a new snapshot.
///
/// # Errors
///
/// There is no new snapshot. Earlier ones are unchanged, and the copied data is used by the next
/// run.
pub fn run(
    source: &Path,
    destination: &Path,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Report, Error> {
    let source = &source.canonicalize().map_err(Error::io("opening", source))?;
    let of_source = FileFacts::at(source).map_err(Error::io("opening", source))?;
    if of_source.kind != FileKind::Directory {
        return Err(Error::Refused(format!("{}: expected a directory", source.display())));
    }
    disk::create_directory(destination).map_err(Error::io("creating", destination))?;
    let root = destination.canonicalize().map_err(Error::io("opening", destination))?;
    refuse_nested(source, &root)?;
    let destination = Destination::open_or_create(&root)?;
    let of_root = FileFacts::at(&root).map_err(Error::io("opening", &root))?;
    let numbers = destination.numbers()?;
    let (number, full) = (numbers.next(), options.full || numbers.snapshots.is_empty());
    let same_file_system = of_root.identity.device() == of_source.identity.device();
    let report = Report { number, full, same_file_system, ..Report::default() };
    let run = Run { source, destination: &destination, options, watch };
    let done = run.copy(&numbers, report);
    if let Err(Error::Io { source, .. }) = &done
        && source.kind() == io::ErrorKind::StorageFull
    {
        destination.abandon(number); // others may need the room
    }
    done
}

/// Refuses a backup inside of its source, or a source inside of its backup.
fn refuse_nested(source: &Path, root: &Path) -> Result<(), Error> {
    let (inner, outer) = match (root.starts_with(source), source.starts_with(root)) {
        (true, _) => ("the backup", "what it is to be of"),
        (_, true) => ("what is to be copied", "the backup"),
        _ => return Ok(()),
    };
    Err(Error::Refused(format!("{}: {inner} lies within {outer}", root.display())))
}

struct Run<'a> {
    source: &'a Path,
    destination: &'a Destination,
    options: &'a Options,
    watch: &'a dyn Watch,
}

impl Run<'_> {
    fn copy(&self, numbers: &Numbers, report: Report) -> Result<Report, Error> {
        let root = &self.destination.root;
        let mut report = report;
        let mut previous = self.previous(numbers, &mut report);
        let packs = Packs::of(root);
        let head = Head {
            number: report.number,
            full: report.full,
            begun_seconds: self.watch.now().seconds,
            source: self.source.as_os_str().to_owned(),
        };
        let copier = Copier {
            source: self.source,
            pack: PackWriter::create(root, report.number, self.options.sync_every_bytes)?,
            index: IndexWriter::create(root, &head, self.options.sync_every_bytes / 4)?,
            packs: &packs,
            watch: self.watch,
            report,
            readers: self.options.readers,
            read_all: self.options.read_all,
        };
        let copier = std::thread::scope(|scope| {
            let pool = Pool::start(scope, self.options.readers);
            Tree { copier, pool, previous: &mut previous, queue: VecDeque::new() }.copy()
        })?;
        let mut report = self.finish(copier)?;
        report.damaged.extend(previous.damaged.iter().map(ToString::to_string));
        Ok(report)
    }

    /// The earlier indexes: unfinished ones of killed runs since the last snapshot, then that
    /// snapshot.
    fn previous(&self, numbers: &Numbers, report: &mut Report) -> Previous {
        let root = &self.destination.root;
        let mut previous = Previous::default();
        let newest = numbers.snapshots.last().copied().unwrap_or(0);
        let parts = numbers.parts.iter().rev().filter(|number| **number > newest);
        for number in parts.filter(|number| numbers.packs.contains(number)) {
            // An index of a run that was killed at once may have no head yet.
            let Ok(reader) = IndexReader::open_part(root, *number) else { continue };
            if reader.head().full || !report.full {
                previous.add(reader);
                report.resumed += 1;
            }
        }
        if !report.full {
            match IndexReader::open(root, newest) {
                Ok(reader) => previous.add(reader),
                Err(error) => previous.damaged.push(error),
            }
        }
        previous
    }

    /// Publishes the snapshot.
    fn finish(&self, copier: Copier<'_>) -> Result<Report, Error> {
        let Copier { pack, mut index, mut report, .. } = copier;
        let written = pack.finish()?;
        report.added_bytes = written.bytes;
        index.summary.added_bytes = written.bytes;
        index.summary.ended_seconds = self.watch.now().seconds;
        index.complete()?;
        if self.options.verify {
            written.verify(|bytes| {
                report.verified_bytes = bytes;
                self.watch.show(&report);
            })?;
            let mut reader = IndexReader::open_whole(index.path(), report.number)?;
            while reader.next_entry()?.is_some() {}
        }
        index.publish()?;
        self.destination.remove_parts()?;
        if let Some(count) = self.options.keep {
            report.removed = self.destination.keep(count)?;
        }
        Ok(report)
    }
}

/// A name that waits for its turn.
enum Queued {
    Ready(Box<Entry>),
    Looking(PathBuf, Ticket<Looked>),
}

/// Walks a tree; several threads inspect files ahead.
struct Tree<'a, 'scope> {
    copier: Copier<'a>,
    pool: Pool<'scope>,
    previous: &'a mut Previous,
    queue: VecDeque<Queued>,
}

impl<'a: 'scope, 'scope> Tree<'a, 'scope> {
    fn copy(mut self) -> Result<Copier<'a>, Error> {
        let mut walk = Walk::below(self.copier.source);
        while let Some(found) = walk.next() {
            match found {
                Ok(found) => {
                    let is_store = found.kind == FileKind::Directory
                        && RingStore::is_at(&self.copier.source.join(&found.path));
                    self.found(&found.path, found.kind)?;
                    if is_store {
                        walk.skip();
                        self.settle_down_to(0)?;
                        let known = self.previous.take_below(found.path.as_os_str());
                        ring_store::copy(&mut self.copier, &self.pool, &found.path, known)?;
                    }
                }
                Err((path, error)) => self.copier.problem(&path, error),
            }
            self.settle_down_to(AHEAD)?;
        }
        self.settle_down_to(0)?;
        Ok(self.copier)
    }

    fn found(&mut self, path: &Path, kind: FileKind) -> Result<(), Error> {
        let known = self.previous.take(path.as_os_str());
        match kind {
            FileKind::Regular => {
                let ticket = self.copier.look_at(&self.pool, path, known);
                self.queue.push_back(Queued::Looking(path.to_path_buf(), ticket));
            }
            FileKind::Directory | FileKind::Link => match whole(self.copier.source, path, kind) {
                Ok(entry) => self.queue.push_back(Queued::Ready(Box::new(entry))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.copier.problem(path, error),
            },
            _ => self.copier.problem(path, "neither a file nor a directory nor a link"),
        }
        Ok(())
    }

    /// Takes waiting names, in order, until at most `count` are left.
    fn settle_down_to(&mut self, count: usize) -> Result<(), Error> {
        while self.queue.len() > count {
            match self.queue.pop_front().expect("there are more") {
                Queued::Ready(entry) => self.copier.put(&entry)?,
                Queued::Looking(path, ticket) => {
                    if let Some(entry) = self.copier.take(&self.pool, &path, ticket.wait(), 0)? {
                        self.copier.put(&entry)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The entry of a directory or a symbolic link.
fn whole(source: &Path, path: &Path, kind: FileKind) -> io::Result<Entry> {
    let from = source.join(path);
    let facts = FileFacts::at(&from)?;
    let content = match kind {
        FileKind::Link => Content::Link(disk::link_target(&from)?.into_os_string()),
        _ => Content::Directory,
    };
    Ok(Entry { path: path.as_os_str().to_owned(), flags: 0, facts, content })
}

impl<'a> Copier<'a> {
    /// Gives a file to a thread for inspection.
    pub(crate) fn look_at<'scope>(
        &self,
        pool: &Pool<'scope>,
        path: &Path,
        known: Known,
    ) -> Ticket<Looked>
    where
        'a: 'scope,
    {
        let from = self.source.join(path);
        let (read_all, watch, packs) = (self.read_all, self.watch, self.packs);
        pool.submit(move || {
            let mut looked = look(&from, known, read_all, watch);
            if let Looked::Read(read) = &mut looked {
                read.previous = newest_table(packs, &read.known);
            }
            looked
        })
    }

    /// The entry of an inspected file, with these flags; `None` if there is none.
    pub(crate) fn take(
        &mut self,
        pool: &Pool<'_>,
        path: &Path,
        looked: Looked,
        flags: u8,
    ) -> Result<Option<Entry>, Error> {
        let entry = match looked {
            Looked::Unchanged(entry) => {
                self.report.unchanged += 1;
                *entry
            }
            Looked::Read(read) => self.small(path, &read)?,
            Looked::Large(known) => match self.large(pool, path, &known) {
                Ok(entry) => entry,
                Err(Fault::Source(error)) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(None);
                }
                Err(Fault::Source(error)) => {
                    self.problem(path, error);
                    return Ok(None);
                }
                Err(Fault::Run(error)) => return Err(error),
            },
            Looked::Gone => return Ok(None),
            Looked::Failed(error) => {
                self.problem(path, error);
                return Ok(None);
            }
        };
        Ok(Some(Entry { flags: entry.flags | flags, ..entry }))
    }
}
