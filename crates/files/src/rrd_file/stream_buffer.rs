//! The buffer that a stream of the C library has: one block of a file, as it was read.

use std::io;

use disk::File;

/// What the C library takes as the size of its buffer: the block of the file system.
const BUFFER_BYTES: usize = 4096;

/// One stretch of a file, as it was read.
#[derive(Debug, Default)]
pub(super) struct StreamBuffer {
    offset_bytes: u64,
    bytes: Vec<u8>,
}

impl StreamBuffer {
    pub(super) fn forget(&mut self) {
        self.bytes.clear();
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    pub(super) fn read_at(
        &mut self,
        file: &File,
        buffer: &mut [u8],
        offset_bytes: u64,
    ) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = offset_bytes + filled as u64;
            self.fill(file, at)?;
            let Some(bytes) = self.from(at) else { break };
            let count = bytes.len().min(buffer.len() - filled);
            buffer[filled..][..count].copy_from_slice(&bytes[..count]);
            filled += count;
        }
        Ok(filled)
    }

    /// Writes all of `bytes`.
    pub(super) fn write_at(
        &mut self,
        file: &File,
        bytes: &[u8],
        offset_bytes: u64,
    ) -> io::Result<()> {
        // A seek reads where it leads to, although nothing there is wanted.
        self.fill(file, offset_bytes)?;
        file.seek_to(offset_bytes)?;
        file.write_on(bytes)?;
        self.overlay(bytes, offset_bytes);
        Ok(())
    }

    /// Reads the block of a byte, unless it is the one that is there.
    fn fill(&mut self, file: &File, offset_bytes: u64) -> io::Result<()> {
        if self.from(offset_bytes).is_some() {
            return Ok(());
        }
        self.offset_bytes = offset_bytes - offset_bytes % BUFFER_BYTES as u64;
        self.bytes.resize(BUFFER_BYTES, 0);
        file.seek_to(self.offset_bytes)?;
        let read = file.read_next(&mut self.bytes);
        self.bytes.truncate(*read.as_ref().unwrap_or(&0));
        read.map(drop)
    }

    /// The bytes from an offset on, if it lies in what was read.
    fn from(&self, offset_bytes: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset_bytes.checked_sub(self.offset_bytes)?).ok()?;
        self.bytes.get(start..).filter(|bytes| !bytes.is_empty())
    }

    fn overlay(&mut self, bytes: &[u8], offset_bytes: u64) {
        let start = offset_bytes.saturating_sub(self.offset_bytes) as usize;
        if let Some(room) = self.bytes.get_mut(start..) {
            let count = bytes.len().min(room.len());
            room[..count].copy_from_slice(&bytes[..count]);
        }
    }
}
