//! An index: every file of a snapshot, and the place of its pages.
//!
//! ```text
//!   head   8   magic    "gyreindx"        block  4   bytes of the payload; the highest bit is set
//!          4   version  1                            in the last block, which is the summary
//!          4   number of the snapshot            4   CRC-32 of number and payload
//!          4   1: needs no earlier pack          4   number of the block
//!          8   begun, seconds since 1970         +   payload: entries
//!          2   length of the source's path
//!          +   path                     summary 8   entries       8   files
//!          4   CRC-32 of all before it          8   bytes         8   bytes added to the pack
//!                                               8   ended         4   oldest pack needed
//!   blocks, the summary last            end     8   where the summary's block stands
//!                                               8   magic "gyre-end"
//! ```
//!
//! All numbers are little-endian. While it is written, its name is `NNNNNN.part`, and it has only
//! entries whose pages are on disk. So after a kill the next run can use it. Once it is complete
//! and synced, it is renamed to `NNNNNN.index`, and the snapshot exists.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use disk::{File, Mode};

use crate::Error;
use crate::cursor::Cursor;
use crate::entry::{Entry, PROGRESS};
use crate::error::check_version;
use crate::uncached;

const MAGIC: &[u8; 8] = b"gyreindx";
const END_MAGIC: &[u8; 8] = b"gyre-end";
/// The version of indexes.
pub const VERSION: u32 = 1;
/// The approximate size of a block.
const BLOCK_BYTES: usize = 64 << 10;
/// The largest block.
const BLOCK_BYTES_MAX: u32 = 1 << 20;
const BLOCK_HEAD_BYTES: usize = 12;
const LAST: u32 = 1 << 31;
const SUMMARY_BYTES: usize = 44;
const END_BYTES: u64 = 16;

/// The start of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u32,
    pub(crate) full: bool,
    pub(crate) begun_seconds: i64,
    pub(crate) source: OsString,
}

/// The end of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) entries: u64,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) added_bytes: u64,
    pub(crate) ended_seconds: i64,
    pub(crate) oldest_pack: u32,
}

/// The name of an unfinished index.
pub(crate) fn part_name(number: u32) -> String {
    format!("{number:06}.part")
}

/// The name of a complete index.
pub(crate) fn name_of(number: u32) -> String {
    format!("{number:06}.index")
}

impl Head {
    fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        for number in [VERSION, self.number, u32::from(self.full)] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.begun_seconds.to_le_bytes());
        let count = u16::try_from(self.source.len()).expect("paths are short");
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(self.source.as_bytes());
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<(Self, usize)> {
        let mut cursor = Cursor(bytes);
        let known = cursor.bytes(8)? == MAGIC && cursor.word()? == VERSION;
        let (number, full) = (cursor.word()?, cursor.word()? != 0);
        let begun_seconds = cursor.long()?.cast_signed();
        let source = OsString::from_vec(cursor.counted()?.to_vec());
        let covered = bytes.len() - cursor.0.len();
        let sound = cursor.word()? == crc32fast::hash(&bytes[..covered]);
        let head = Self { number, full, begun_seconds, source };
        (known && sound).then_some((head, covered + 4))
    }
}

impl Summary {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(SUMMARY_BYTES);
        for number in [self.entries, self.files, self.bytes, self.added_bytes] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.ended_seconds.to_le_bytes());
        out.extend_from_slice(&self.oldest_pack.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor(bytes);
        Some(Self {
            entries: cursor.long()?,
            files: cursor.long()?,
            bytes: cursor.long()?,
            added_bytes: cursor.long()?,
            ended_seconds: cursor.long()?.cast_signed(),
            oldest_pack: cursor.word()?,
        })
    }

    /// Counts an entry.
    pub(crate) fn count(&mut self, entry: &Entry) {
        self.entries += 1;
        if let (Some(table), false) = (entry.table(), entry.is(PROGRESS)) {
            self.oldest_pack = match self.oldest_pack {
                0 => table.oldest_pack,
                oldest => oldest.min(table.oldest_pack),
            };
        }
        if entry.facts.kind == disk::FileKind::Regular && !entry.is(PROGRESS) {
            self.files += 1;
            self.bytes += entry.facts.bytes;
        }
    }
}

fn block(number: u32, payload: &[u8], last: u32) -> Vec<u8> {
    let mut covered = number.to_le_bytes().to_vec();
    covered.extend_from_slice(payload);
    let bytes = u32::try_from(payload.len()).expect("blocks are small") | last;
    let mut out = bytes.to_le_bytes().to_vec();
    out.extend_from_slice(&crc32fast::hash(&covered).to_le_bytes());
    out.append(&mut covered);
    out
}

/// An index that is being written.
#[derive(Debug)]
pub(crate) struct IndexWriter {
    directory: PathBuf,
    path: PathBuf,
    number: u32,
    file: File,
    offset_bytes: u64,
    blocks: u32,
    entries: Vec<u8>,
    /// Blocks that wait until the pack is on disk up to an offset.
    waiting: VecDeque<(u64, Vec<u8>)>,
    /// A block is sealed after this many bytes of the pack.
    seal_every_bytes: u64,
    /// The end of the pack when the last block was sealed.
    sealed_bytes: u64,
    pub(crate) summary: Summary,
}

impl IndexWriter {
    pub(crate) fn create(
        directory: &Path,
        head: &Head,
        seal_every_bytes: u64,
    ) -> Result<Self, Error> {
        let path = directory.join(part_name(head.number));
        let file = File::create(&path).map_err(Error::io("creating", &path))?;
        let bytes = head.encode();
        uncached::write(&file, &bytes, 0).map_err(Error::io("writing", &path))?;
        Ok(Self {
            directory: directory.to_path_buf(),
            path,
            number: head.number,
            file,
            offset_bytes: bytes.len() as u64,
            blocks: 0,
            entries: Vec::new(),
            waiting: VecDeque::new(),
            seal_every_bytes,
            sealed_bytes: 0,
            summary: Summary::default(),
        })
    }

    /// Adds an entry whose pages are in the pack before `end_bytes`; writes the blocks whose pages
    /// are on disk.
    pub(crate) fn put(
        &mut self,
        entry: &Entry,
        end_bytes: u64,
        durable_bytes: u64,
    ) -> Result<(), Error> {
        self.summary.count(entry);
        entry.encode(&mut self.entries);
        if self.entries.len() >= BLOCK_BYTES
            || end_bytes - self.sealed_bytes >= self.seal_every_bytes
        {
            self.seal(end_bytes);
        }
        while self.waiting.front().is_some_and(|(needed, _)| *needed <= durable_bytes) {
            self.write_first()?;
        }
        Ok(())
    }

    /// Ends the current block. It is written once the pack is on disk up to `end_bytes`.
    pub(crate) fn seal(&mut self, end_bytes: u64) {
        if !self.entries.is_empty() {
            let sealed = block(self.blocks, &self.entries, 0);
            self.entries.clear();
            self.blocks += 1;
            self.waiting.push_back((end_bytes, sealed));
            self.sealed_bytes = self.sealed_bytes.max(end_bytes);
        }
    }

    fn write_first(&mut self) -> Result<(), Error> {
        let Some((_, bytes)) = self.waiting.pop_front() else { return Ok(()) };
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = uncached::write(&self.file, bytes, self.offset_bytes);
        written.map_err(Error::io("writing", &self.path))?;
        self.offset_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes the rest and syncs it; the pack must be on disk already.
    pub(crate) fn complete(&mut self) -> Result<(), Error> {
        self.seal(0);
        while !self.waiting.is_empty() {
            self.write_first()?;
        }
        let summary_at = self.offset_bytes;
        let last = block(self.blocks, &self.summary.encode(), LAST);
        self.write(&last)?;
        let end = [&summary_at.to_le_bytes()[..], END_MAGIC].concat();
        self.write(&end)?;
        self.file.sync_all().map_err(Error::io("syncing", &self.path))
    }

    /// Renames a complete index: from now on the snapshot exists.
    pub(crate) fn publish(self) -> Result<(), Error> {
        let name = self.directory.join(name_of(self.number));
        disk::rename(&self.path, &name).map_err(Error::io("naming", &name))?;
        disk::sync_directory(&self.directory).map_err(Error::io("syncing", &self.directory))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Reads an index from start to end.
#[derive(Debug)]
pub(crate) struct IndexReader {
    path: PathBuf,
    file: File,
    head: Head,
    /// The offset of the next block.
    offset_bytes: u64,
    file_bytes: u64,
    blocks: u32,
    block: Vec<u8>,
    taken: usize,
    counted: Summary,
    summary: Option<Summary>,
    /// Whether it is the unfinished index of a killed run, which ends at the first invalid block.
    is_part: bool,
}

impl IndexReader {
    /// Opens a complete index.
    pub(crate) fn open(directory: &Path, number: u32) -> Result<Self, Error> {
        Self::open_at(directory.join(name_of(number)), number, false)
    }

    /// Opens the unfinished index of a killed run.
    pub(crate) fn open_part(directory: &Path, number: u32) -> Result<Self, Error> {
        Self::open_at(directory.join(part_name(number)), number, true)
    }

    /// Opens a complete index that still has the name of an unfinished one.
    pub(crate) fn open_whole(path: &Path, number: u32) -> Result<Self, Error> {
        Self::open_at(path.to_path_buf(), number, false)
    }

    fn open_at(path: PathBuf, number: u32, is_part: bool) -> Result<Self, Error> {
        let file = File::open(&path, Mode::Read).map_err(Error::io("opening", &path))?;
        let file_bytes = file.len_bytes().map_err(Error::io("measuring", &path))?;
        let mut bytes = vec![0; 8192];
        let read = uncached::read(&file, &mut bytes, 0).map_err(Error::io("reading", &path))?;
        check_version(&path, &bytes[..read], MAGIC, VERSION)?;
        let decoded = Head::decode(&bytes[..read]).filter(|(head, _)| head.number == number);
        let Some((head, head_bytes)) = decoded else {
            return Err(Error::damaged(&path, 0, "the head of an index of this number"));
        };
        Ok(Self {
            path,
            file,
            head,
            offset_bytes: head_bytes as u64,
            file_bytes,
            blocks: 0,
            block: Vec::new(),
            taken: 0,
            counted: Summary::default(),
            summary: None,
            is_part,
        })
    }

    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    pub(crate) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The summary at the end.
    pub(crate) fn summary(&self) -> Result<Summary, Error> {
        let damaged = |at| Error::damaged(&self.path, at, "the end of an index");
        let end_at = self.file_bytes.saturating_sub(END_BYTES);
        let mut end = [0; END_BYTES as usize];
        let read = uncached::read(&self.file, &mut end, end_at);
        let read = read.map_err(Error::io("reading", &self.path))?;
        let at = u64::from_le_bytes(end[..8].try_into().expect("it is 8 bytes"));
        if read < end.len() || end[8..] != END_MAGIC[..] {
            return Err(damaged(end_at));
        }
        let found = self.read_block(at)?.filter(|found| found.last);
        let summary = found.and_then(|found| Summary::decode(&found.payload));
        summary.ok_or_else(|| damaged(at))
    }

    /// The next entry; `None` at the end.
    pub(crate) fn next_entry(&mut self) -> Result<Option<Entry>, Error> {
        while self.taken == self.block.len() {
            if self.summary.is_some() || !self.next_block()? {
                return Ok(None);
            }
        }
        let mut cursor = Cursor(&self.block[self.taken..]);
        let Some(entry) = Entry::decode(&mut cursor) else {
            let at = self.offset_bytes - self.block.len() as u64 + self.taken as u64;
            return Err(Error::damaged(&self.path, at, "an entry of an index"));
        };
        self.taken = self.block.len() - cursor.0.len();
        self.counted.count(&entry);
        Ok(Some(entry))
    }

    /// Reads the next block; false at the end.
    fn next_block(&mut self) -> Result<bool, Error> {
        let at = self.offset_bytes;
        let found = self.read_block(at)?.filter(|found| found.number == self.blocks);
        let Some(found) = found else {
            if self.is_part {
                return Ok(false);
            }
            return Err(Error::damaged(&self.path, at, "a block of an index"));
        };
        self.blocks += 1;
        self.offset_bytes = at + (BLOCK_HEAD_BYTES + found.payload.len()) as u64;
        if !found.last {
            (self.block, self.taken) = (found.payload, 0);
            return Ok(true);
        }
        let summary = Summary::decode(&found.payload);
        // A complete index has all its entries.
        let whole = summary.filter(|summary| summary.entries == self.counted.entries);
        if whole.is_none() {
            return Err(Error::damaged(&self.path, at, "a summary of as many entries"));
        }
        self.summary = whole;
        Ok(false)
    }

    fn read_block(&self, at: u64) -> Result<Option<Block>, Error> {
        let io = || Error::io("reading", &self.path);
        // The buffer usually includes the block, not only its head.
        let mut bytes = vec![0; BLOCK_BYTES + (8 << 10)];
        let read = uncached::read(&self.file, &mut bytes, at).map_err(io())?;
        bytes.truncate(read);
        let mut cursor = Cursor(&bytes);
        let (Some(length), Some(crc), Some(number)) = (cursor.word(), cursor.word(), cursor.word())
        else {
            return Ok(None);
        };
        let payload_bytes = length & !LAST;
        if payload_bytes > BLOCK_BYTES_MAX {
            return Ok(None);
        }
        let wanted = BLOCK_HEAD_BYTES + payload_bytes as usize;
        if wanted > bytes.len() {
            bytes.resize(wanted, 0);
            if uncached::read(&self.file, &mut bytes, at).map_err(io())? < wanted {
                return Ok(None);
            }
        }
        let sound = crc32fast::hash(&bytes[8..wanted]) == crc;
        let payload = bytes[BLOCK_HEAD_BYTES..wanted].to_vec();
        Ok(sound.then_some(Block { number, last: length & LAST != 0, payload }))
    }
}

struct Block {
    number: u32,
    last: bool,
    payload: Vec<u8>,
}

/// The number in the name of an index, or of an unfinished one.
pub(crate) fn number_of(name: &OsStr, extension: &str) -> Option<u32> {
    let (digits, found) = name.to_str()?.split_once('.')?;
    let known = found == extension && digits.len() >= 6;
    digits.parse().ok().filter(|number| known && *number > 0)
}
