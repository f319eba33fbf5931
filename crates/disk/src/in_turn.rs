//! Reads and writes at the file's own position, as programs of the C library do.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use crate::File;

impl File {
    /// Moves the file's own position (`lseek(2)`). All descriptors of this open file share it.
    ///
    /// # Errors
    /// Those of `lseek(2)`.
    pub fn seek_to(&self, offset_bytes: u64) -> io::Result<()> {
        (&self.0).seek(SeekFrom::Start(offset_bytes)).map(drop)
    }

    /// Moves the file's own position to its end, and gives the size in bytes (`lseek(2)`). It takes a
    /// third of the time of [`File::len_bytes`], and leaves the file's times unread: a file system
    /// that knows them read stamps the next write anew.
    ///
    /// # Errors
    /// Those of `lseek(2)`.
    pub fn seek_to_end(&self) -> io::Result<u64> {
        (&self.0).seek(SeekFrom::End(0))
    }

    /// Reads some bytes at the position, at most a buffer full; none at the end of the file
    /// (`read(2)`).
    ///
    /// # Errors
    /// Those of `read(2)`.
    pub fn read_next(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match (&self.0).read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    /// Reads at the position until `buffer` is full or the file ends; returns the bytes read
    /// (`read(2)`).
    ///
    /// # Errors
    /// Those of `read(2)`.
    pub fn read_on(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_next(&mut buffer[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(filled)
    }

    /// Writes all of `bytes` at the position (`write(2)`).
    ///
    /// # Errors
    /// Those of `write(2)`.
    pub fn write_on(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }
}
