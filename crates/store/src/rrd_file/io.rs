//! The ways in which programs have read and written `.rrd` files.
//!
//! gyre's own is [`Io::OWN`]. The others are for measuring what each of them costs, by the same
//! updates; files look the same after any of them.
//!
//! ```text
//!               Buffered                     Sought         Positioned   HeaderMapped   Mapped
//! the header    lseek, read of 4 KiB         lseek, read    pread        a copy         a copy
//! rows          lseek, read of their page,   lseek, write   pwrite       pwrite         a copy
//!               lseek, write
//! live state    lseek, write                 lseek, write   pwrite       a copy         a copy
//! ```

use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use disk::{File, Mode, SharedMapping};

/// How an `.rrd` file is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Io {
    /// How its bytes come and go.
    pub transfer: Transfer,
    /// Whether the kernel is told that access is random, so that it reads nothing ahead.
    pub advice: bool,
}

/// How bytes come from a file and go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// `pread(2)` and `pwrite(2)`.
    Positioned,
    /// `lseek(2)` before each `read(2)` and `write(2)`.
    Sought,
    /// What the C library makes of `fopen`, `fseek`, `fread` and `fwrite`, as rrdtool did up to 1.2: a
    /// seek reads the page that it leads to.
    Buffered,
    /// The pages of the header mapped, `pwrite(2)` for rows. As below.
    HeaderMapped,
    /// The whole file mapped, as rrdtool does since 1.3. Whoever cuts the file short meanwhile ends
    /// this process.
    Mapped,
}

impl Io {
    /// gyre's own way.
    pub const OWN: Self = Self { transfer: Transfer::Positioned, advice: true };
}

/// What the C library takes as the size of its buffer: the block of the file system.
const BUFFER_BYTES: usize = 4096;

/// An open file, with the way in which its bytes come and go.
#[derive(Debug)]
pub(crate) struct Handle {
    file: File,
    state: State,
}

#[derive(Debug)]
enum State {
    Positioned,
    Sought,
    Buffered(Mutex<Buffer>),
    /// Before it is known how long the header is there is no map.
    HeaderMapped(Option<SharedMapping>),
    Mapped(SharedMapping),
}

/// One stretch of a file, as it was read.
#[derive(Debug, Default)]
struct Buffer {
    offset_bytes: u64,
    bytes: Vec<u8>,
}

impl From<File> for Handle {
    fn from(file: File) -> Self {
        Self { file, state: State::Positioned }
    }
}

impl Handle {
    pub(super) fn open(path: &Path, mode: Mode, io: Io) -> io::Result<Self> {
        let file = File::open(path, mode)?;
        if io.advice {
            file.advise_random()?;
        }
        let state = match io.transfer {
            Transfer::Positioned => State::Positioned,
            Transfer::Sought => State::Sought,
            Transfer::HeaderMapped => State::HeaderMapped(None),
            Transfer::Buffered => State::Buffered(Mutex::default()),
            Transfer::Mapped => {
                let bytes = usize::try_from(file.len_bytes()?).map_err(io::Error::other)?;
                let mapping = SharedMapping::of(&file, bytes, mode)?;
                if io.advice {
                    mapping.advise_random()?;
                }
                State::Mapped(mapping)
            }
        };
        Ok(Self { file, state })
    }

    /// The header is known to have so many bytes.
    pub(super) fn header_is(&mut self, bytes: usize, mode: Mode) -> io::Result<()> {
        if let State::HeaderMapped(mapping) = &mut self.state {
            *mapping = Some(SharedMapping::of(&self.file, bytes, mode)?);
        }
        Ok(())
    }

    /// The file itself, for what is neither reading nor writing.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn into_file(self) -> File {
        self.file
    }

    /// Others may have written: nothing that was read before is kept.
    pub(super) fn forget(&self) {
        if let State::Buffered(buffer) = &self.state {
            lock(buffer).bytes.clear();
        }
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        match &self.state {
            State::HeaderMapped(Some(mapping)) if offset_bytes == 0 => {
                let mapped = mapping.read_at(buffer, 0);
                let rest = self.file.read_at(&mut buffer[mapped..], mapped as u64);
                rest.map(|read| mapped + read)
            }
            State::Positioned | State::HeaderMapped(_) => self.file.read_at(buffer, offset_bytes),
            State::Sought => self.read_sought(buffer, offset_bytes),
            State::Buffered(kept) => self.read_buffered(&mut lock(kept), buffer, offset_bytes),
            State::Mapped(mapping) => Ok(mapping.read_at(buffer, offset_bytes)),
        }
    }

    /// Writes all of `bytes`.
    pub(super) fn write_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        match &self.state {
            State::HeaderMapped(Some(mapping)) if mapping.covers(bytes, offset_bytes) => {
                mapping.write_at(bytes, offset_bytes);
                Ok(())
            }
            State::Positioned | State::HeaderMapped(_) => self.file.write_at(bytes, offset_bytes),
            State::Sought => self.write_sought(bytes, offset_bytes),
            State::Buffered(kept) => self.write_buffered(&mut lock(kept), bytes, offset_bytes),
            State::Mapped(mapping) if mapping.covers(bytes, offset_bytes) => {
                mapping.write_at(bytes, offset_bytes);
                Ok(())
            }
            State::Mapped(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn read_sought(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.file.seek_to(offset_bytes)?;
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_next(&mut buffer[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(filled)
    }

    fn write_sought(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        self.file.seek_to(offset_bytes)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = &rest[self.file.write_next(rest)?..];
        }
        Ok(())
    }

    fn read_buffered(
        &self,
        kept: &mut Buffer,
        buffer: &mut [u8],
        offset_bytes: u64,
    ) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = offset_bytes + filled as u64;
            self.fill(kept, at)?;
            let Some(bytes) = kept.from(at).filter(|bytes| !bytes.is_empty()) else { break };
            let count = bytes.len().min(buffer.len() - filled);
            buffer[filled..][..count].copy_from_slice(&bytes[..count]);
            filled += count;
        }
        Ok(filled)
    }

    fn write_buffered(&self, kept: &mut Buffer, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        // A seek reads where it leads to, although nothing there is wanted.
        self.fill(kept, offset_bytes)?;
        self.write_sought(bytes, offset_bytes)?;
        kept.overlay(bytes, offset_bytes);
        Ok(())
    }

    /// Reads the block of a byte, unless it is the one that is there.
    fn fill(&self, kept: &mut Buffer, offset_bytes: u64) -> io::Result<()> {
        if kept.from(offset_bytes).is_some() {
            return Ok(());
        }
        kept.offset_bytes = offset_bytes - offset_bytes % BUFFER_BYTES as u64;
        kept.bytes.resize(BUFFER_BYTES, 0);
        self.file.seek_to(kept.offset_bytes)?;
        let read = self.file.read_next(&mut kept.bytes);
        kept.bytes.truncate(*read.as_ref().unwrap_or(&0));
        read.map(drop)
    }
}

impl Buffer {
    /// The bytes from an offset on, if it lies in what was read.
    fn from(&self, offset_bytes: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset_bytes.checked_sub(self.offset_bytes)?).ok()?;
        self.bytes.get(start..).filter(|bytes| !bytes.is_empty())
    }

    fn overlay(&mut self, bytes: &[u8], offset_bytes: u64) {
        let start = (offset_bytes - self.offset_bytes.min(offset_bytes)) as usize;
        if let Some(room) = self.bytes.get_mut(start..) {
            let count = bytes.len().min(room.len());
            room[..count].copy_from_slice(&bytes[..count]);
        }
    }
}

fn lock(buffer: &Mutex<Buffer>) -> MutexGuard<'_, Buffer> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}
