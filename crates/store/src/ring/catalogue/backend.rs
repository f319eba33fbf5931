//! A file of a [`disk::Medium`] as redb wants it.

use std::io;

use disk::MediumFile;
use redb::StorageBackend;

/// A file of a [`disk::Medium`] as redb wants it.
#[derive(Debug)]
pub(super) struct Backend<F>(pub(super) F);

impl<F: MediumFile + 'static> StorageBackend for Backend<F> {
    fn len(&self) -> io::Result<u64> {
        self.0.len_bytes()
    }

    fn read(&self, offset_bytes: u64, out: &mut [u8]) -> io::Result<()> {
        let read = self.0.read_at(out, offset_bytes)?;
        if read == out.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        if bytes < self.0.len_bytes()? {
            return self.0.truncate(bytes);
        }
        // The room is taken now, so that a full disk is told here and not by a page in the middle.
        self.0.reserve(bytes)?;
        // redb takes the layout of a file that was not closed from its size: no page may reach the
        // disk behind an end that has not.
        self.0.sync_data()
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset_bytes: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_at(data, offset_bytes)
    }
}
