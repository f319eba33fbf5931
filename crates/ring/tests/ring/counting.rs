//! Files in memory, and what is asked of them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use disk::{Medium, MediumFile, MemoryMedium};

type File = <MemoryMedium as Medium>::File;

/// Files in memory, and how much of some of them was read.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    files: Arc<MemoryMedium>,
    counted: fn(&str) -> bool,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    opened: AtomicU64,
    reads: AtomicU64,
    bytes: AtomicU64,
}

/// What was read so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    /// How often a file was opened.
    pub(crate) opened: u64,
    /// How often something was read.
    pub(crate) reads: u64,
    pub(crate) bytes: u64,
}

#[derive(Debug)]
pub(crate) struct CountedFile {
    file: File,
    counts: Option<Arc<Counts>>,
}

impl Read {
    /// What was read since.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            opened: self.opened - before.opened,
            reads: self.reads - before.reads,
            bytes: self.bytes - before.bytes,
        }
    }
}

impl Counting {
    /// Files whose names are of these count.
    pub(crate) fn of(counted: fn(&str) -> bool) -> Self {
        Self { files: Arc::default(), counted, counts: Arc::default() }
    }

    pub(crate) fn read(&self) -> Read {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Counts { opened, reads, bytes } = &*self.counts;
        Read { opened: of(opened), reads: of(reads), bytes: of(bytes) }
    }

    fn counted(&self, name: &str, file: File) -> CountedFile {
        let counts = (self.counted)(name).then(|| Arc::clone(&self.counts));
        if let Some(counts) = &counts {
            counts.opened.fetch_add(1, Ordering::Relaxed);
        }
        CountedFile { file, counts }
    }
}

impl Medium for Counting {
    type File = CountedFile;

    fn create(&self, name: &str) -> io::Result<CountedFile> {
        self.files.create(name).map(|file| self.counted(name, file))
    }

    fn open(&self, name: &str) -> io::Result<CountedFile> {
        self.files.open(name).map(|file| self.counted(name, file))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.files.rename(from, to)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.files.list()
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }
}

impl MediumFile for CountedFile {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        let read = self.file.read_at(buffer, offset_bytes)?;
        if let Some(counts) = &self.counts {
            counts.reads.fetch_add(1, Ordering::Relaxed);
            counts.bytes.fetch_add(read as u64, Ordering::Relaxed);
        }
        Ok(read)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        self.file.write_some_at(bytes, offset_bytes)
    }

    fn len_bytes(&self) -> io::Result<u64> {
        self.file.len_bytes()
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.file.allocate(bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.file.reserve(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
