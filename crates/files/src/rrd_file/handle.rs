//! An open file, with the way in which its bytes come and go.

use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use disk::{File, Mode, SharedMapping};

use super::io::{Io, Transfer};
use super::stream_buffer::StreamBuffer;

/// An open file, read and written in one of the ways.
///
/// Ways that have more than the descriptor (a position, a buffer, a map) hold it under a lock.
#[derive(Debug)]
pub(crate) struct Handle {
    file: File,
    state: State,
}

#[derive(Debug)]
enum State {
    Positioned,
    /// The lock is for the file's own position.
    Sought(Mutex<()>),
    Buffered(Mutex<StreamBuffer>),
    /// Before it is known how long the header is there is no map.
    HeaderMapped(Option<Mutex<SharedMapping>>),
    Mapped(Mutex<SharedMapping>),
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
            Transfer::Sought => State::Sought(Mutex::default()),
            Transfer::HeaderMapped => State::HeaderMapped(None),
            Transfer::Buffered => State::Buffered(Mutex::default()),
            Transfer::Mapped => {
                let bytes = usize::try_from(file.len_bytes()?).map_err(io::Error::other)?;
                let mapping = SharedMapping::of(&file, bytes, mode)?;
                if io.advice {
                    mapping.advise_random()?;
                }
                State::Mapped(Mutex::new(mapping))
            }
        };
        Ok(Self { file, state })
    }

    /// The header is known to have so many bytes.
    pub(super) fn header_is(&mut self, bytes: usize, mode: Mode) -> io::Result<()> {
        if let State::HeaderMapped(mapping) = &mut self.state {
            *mapping = Some(Mutex::new(SharedMapping::of(&self.file, bytes, mode)?));
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
            lock(buffer).forget();
        }
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        match &self.state {
            State::HeaderMapped(Some(mapping)) if offset_bytes == 0 => {
                let mapped = lock(mapping).read_at(buffer, 0);
                let rest = self.file.read_at(&mut buffer[mapped..], mapped as u64);
                rest.map(|read| mapped + read)
            }
            State::Positioned | State::HeaderMapped(_) => self.file.read_at(buffer, offset_bytes),
            State::Sought(position) => {
                let _held = lock(position);
                self.file.seek_to(offset_bytes)?;
                self.file.read_on(buffer)
            }
            State::Buffered(kept) => lock(kept).read_at(&self.file, buffer, offset_bytes),
            State::Mapped(mapping) => Ok(lock(mapping).read_at(buffer, offset_bytes)),
        }
    }

    /// Writes all of `bytes`.
    pub(super) fn write_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        match &self.state {
            State::Positioned => self.file.write_at(bytes, offset_bytes),
            State::HeaderMapped(mapping) => {
                if let Some(mapping) = mapping {
                    let mut mapping = lock(mapping);
                    if mapping.covers(bytes, offset_bytes) {
                        mapping.write_at(bytes, offset_bytes);
                        return Ok(());
                    }
                }
                self.file.write_at(bytes, offset_bytes)
            }
            State::Sought(position) => {
                let _held = lock(position);
                self.file.seek_to(offset_bytes)?;
                self.file.write_on(bytes)
            }
            State::Buffered(kept) => lock(kept).write_at(&self.file, bytes, offset_bytes),
            State::Mapped(mapping) => {
                let mut mapping = lock(mapping);
                if !mapping.covers(bytes, offset_bytes) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                mapping.write_at(bytes, offset_bytes);
                Ok(())
            }
        }
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
