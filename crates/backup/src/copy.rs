//! Copies pages of files to a pack, and entries to an index.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;

use disk::{File, FileFacts};

use crate::entry::{Content, Entry, OF_STORE, PROGRESS, TableRef, UNSETTLED};
use crate::index::IndexWriter;
use crate::pack::PackWriter;
use crate::packs::Packs;
use crate::pool::{Pool, Ticket};
use crate::previous::Known;
use crate::steady::{self, TRIES};
use crate::table::{PAGE_BYTES, Place, Table, ZEROS, hash_of, hashes_of};
use crate::{Error, Report, Watch, uncached};

/// A large file is read in pieces of this size.
const PIECE_BYTES: u64 = 1 << 20;
/// The most problems that are reported in words; further ones are only counted.
const PROBLEMS_MAX: usize = 1000;

/// A piece of a file, the hashes of its pages, and how many of its pages are damaged.
type Piece = (Vec<u8>, Vec<u64>, usize);

/// Whether a page of a file, given by number and bytes, is undamaged.
pub(crate) type Sound = Arc<dyn Fn(u64, &[u8]) -> bool + Send + Sync>;

/// Why copying failed: the file's own fault, or one that ends the run.
#[derive(Debug)]
pub(crate) enum Fault {
    Source(io::Error),
    Run(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

/// The outputs of a run.
pub(crate) struct Copier<'a> {
    pub(crate) source: &'a Path,
    pub(crate) pack: PackWriter,
    pub(crate) index: IndexWriter,
    pub(crate) packs: &'a Packs,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) report: Report,
    pub(crate) readers: usize,
    pub(crate) read_all: bool,
}

impl Copier<'_> {
    /// Adds an entry to the snapshot.
    pub(crate) fn put(&mut self, entry: &Entry) -> Result<(), Error> {
        self.index.put(entry, self.pack.end_bytes(), self.pack.durable_bytes())?;
        let report = &mut self.report;
        report.added_bytes = self.pack.end_bytes();
        if !entry.is(PROGRESS) {
            match entry.content {
                Content::Directory => report.directories += 1,
                Content::Link(_) => report.links += 1,
                Content::File(_) => {
                    report.files += 1;
                    report.bytes += entry.facts.bytes;
                }
            }
        }
        self.watch.show(&self.report);
        Ok(())
    }

    /// Records a file that could not be copied.
    pub(crate) fn problem(&mut self, path: &Path, what: impl std::fmt::Display) {
        self.report.problem_count += 1;
        if self.report.problems.len() < PROBLEMS_MAX {
            self.report.problems.push(format!("{}: {what}", self.source.join(path).display()));
        }
    }

    /// The entry of a small file, which was read whole.
    pub(crate) fn small(&mut self, path: &Path, read: &steady::Content) -> Result<Entry, Error> {
        let mut table = Table::default();
        let previous = read.previous.as_ref();
        self.add_whole(&mut table, previous, &read.bytes, &read.hashes)?;
        let flags = if read.settled { 0 } else { UNSETTLED };
        self.entry(path, flags, read.facts, &table)
    }

    /// Copies a large file in pieces; starts again until no program wrote it meanwhile.
    pub(crate) fn large<'scope>(
        &mut self,
        pool: &Pool<'scope>,
        path: &Path,
        known: &Known,
    ) -> Result<Entry, Fault> {
        let from = self.source.join(path);
        let mut previous = newest_table(self.packs, known);
        for attempt in 0..TRIES {
            steady::wait_before(attempt);
            let file = steady::open(&from).map_err(Fault::Source)?;
            let before = file.facts().map_err(Fault::Source)?;
            let quiet = steady::is_quiet(&file, &before, self.watch.now());
            let is_last = attempt + 1 == TRIES;
            if !quiet && !is_last {
                continue;
            }
            let extent = (before.bytes, previous.as_ref());
            let (table, bytes, _) = self.pages(pool, &file, extent, Arc::new(|_, _| true))?;
            let after = file.facts().map_err(Fault::Source)?;
            let settled = quiet && steady::is_same(&before, &after) && bytes == before.bytes;
            // It may be a log file that grows all the time: two attempts are enough.
            let is_log = !steady::is_database(path.as_os_str()) && attempt > 0;
            if settled || is_last || is_log {
                let flags = if settled { 0 } else { UNSETTLED };
                return Ok(self.entry(path, flags, FileFacts { bytes, ..before }, &table)?);
            }
            previous = Some(table);
        }
        unreachable!("the last try returns")
    }

    /// Copies the pages of a file that differ from its earlier table. Returns its new table, the
    /// bytes read, and how many pages are not `sound`.
    pub(crate) fn pages<'scope>(
        &mut self,
        pool: &Pool<'scope>,
        file: &Arc<File>,
        (bytes, previous): (u64, Option<&Table>),
        sound: Sound,
    ) -> Result<(Table, u64, usize), Fault> {
        let (mut table, mut unsound) = (Table::default(), 0);
        let mut previous = pages_of(previous);
        let mut ahead: VecDeque<Ticket<io::Result<Piece>>> = VecDeque::new();
        let (mut asked_bytes, mut read_bytes) = (0, 0);
        loop {
            while ahead.len() < 2 * self.readers && asked_bytes < bytes {
                let (file, at) = (Arc::clone(file), asked_bytes);
                let sound = Arc::clone(&sound);
                let piece_bytes = PIECE_BYTES.min(bytes - at);
                ahead.push_back(pool.submit(move || {
                    let (piece, hashes) = read_piece(&file, at, piece_bytes as usize)?;
                    let pages = (at / PAGE_BYTES as u64..).zip(piece.chunks(PAGE_BYTES));
                    let unsound = pages.filter(|(number, page)| !sound(*number, page)).count();
                    Ok((piece, hashes, unsound))
                }));
                asked_bytes += piece_bytes;
            }
            let Some(ticket) = ahead.pop_front() else { break };
            let (piece, hashes, bad) = ticket.wait().map_err(Fault::Source)?;
            unsound += bad;
            self.add_pages(&mut table, &mut previous, &piece, &hashes)?;
            read_bytes += piece.len() as u64;
            self.watch.show(&self.report);
            if !(piece.len() as u64).is_multiple_of(PAGE_BYTES as u64) {
                break; // the file ends here
            }
        }
        Ok((table, read_bytes, unsound))
    }

    /// Adds all pages of a file that was read whole.
    pub(crate) fn add_whole(
        &mut self,
        table: &mut Table,
        previous: Option<&Table>,
        bytes: &[u8],
        hashes: &[u64],
    ) -> Result<(), Error> {
        self.add_pages(table, &mut pages_of(previous), bytes, hashes)
    }

    /// Adds pages to a table. Pages that the earlier table does not have at the same place go to
    /// the pack.
    fn add_pages(
        &mut self,
        table: &mut Table,
        previous: &mut dyn Iterator<Item = (u64, Place)>,
        bytes: &[u8],
        hashes: &[u64],
    ) -> Result<(), Error> {
        self.report.read_bytes += bytes.len() as u64;
        for (page, hash) in bytes.chunks(PAGE_BYTES).zip(hashes) {
            let place = match previous.next() {
                _ if is_zero(page) => Place { pack: ZEROS, offset_bytes: 0 },
                Some((known, place)) if known == *hash => place,
                _ => self.pack.put(page)?,
            };
            table.push(*hash, place);
        }
        self.report.added_bytes = self.pack.end_bytes();
        Ok(())
    }

    /// The entry of a file with its complete table.
    pub(crate) fn entry(
        &mut self,
        path: &Path,
        flags: u8,
        facts: FileFacts,
        table: &Table,
    ) -> Result<Entry, Error> {
        let content = Content::File(self.put_table(table)?);
        if flags & UNSETTLED != 0 {
            self.report.unsettled += 1;
            if steady::is_database(path.as_os_str()) || flags & OF_STORE != 0 {
                self.problem(path, "changed whenever it was read; the copy may be torn");
            }
        }
        Ok(Entry { path: path.as_os_str().to_owned(), flags, facts, content })
    }

    fn put_table(&mut self, table: &Table) -> Result<Option<TableRef>, Error> {
        if table.hashes.is_empty() {
            return Ok(None);
        }
        let encoded = table.encode();
        let Place { pack, offset_bytes } = self.pack.put(&encoded)?;
        let bytes = u32::try_from(encoded.len()).map_err(|_| {
            Error::Refused("a file of more than 650 GiB in single pages is too large".into())
        })?;
        let oldest_pack = table.oldest_pack().unwrap_or(pack).min(pack);
        Ok(Some(TableRef { pack, offset_bytes, bytes, hash: hash_of(&encoded), oldest_pack }))
    }
}

fn pages_of(table: Option<&Table>) -> Box<dyn Iterator<Item = (u64, Place)> + '_> {
    match table {
        Some(table) => Box::new(table.pages()),
        None => Box::new(std::iter::empty()),
    }
}

/// The newest readable table among earlier entries. If none is readable, the file is copied in
/// full.
pub(crate) fn newest_table(packs: &Packs, known: &Known) -> Option<Table> {
    known.iter().filter_map(Entry::table).find_map(|table| packs.table(table).ok())
}

fn read_piece(file: &File, offset_bytes: u64, bytes: usize) -> io::Result<(Vec<u8>, Vec<u64>)> {
    let mut piece = vec![0; bytes];
    let read = uncached::read(file, &mut piece, offset_bytes)?;
    piece.truncate(read);
    let hashes = hashes_of(&piece);
    Ok((piece, hashes))
}

/// Whether a page has only zeros. It may be a short page at the end of a file.
pub(crate) fn is_zero(page: &[u8]) -> bool {
    let (words, rest) = page.as_chunks::<16>();
    words.iter().all(|word| u128::from_ne_bytes(*word) == 0) && rest.iter().all(|byte| *byte == 0)
}
