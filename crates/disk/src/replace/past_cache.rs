//! Files that are written past the page cache: for many that nobody reads soon.

use std::io;
use std::path::Path;

use super::{Existing, put, write_pieces};
use crate::{File, PageBuffer};

/// What a length past the page cache is a multiple of.
const PAGE_BYTES: usize = 4096;

/// Writes files one after the other, each as a whole or not at all.
#[derive(Debug)]
pub struct PastCache {
    pages: PageBuffer,
}

impl Default for PastCache {
    fn default() -> Self {
        Self { pages: PageBuffer::zeroed(0) }
    }
}

impl PastCache {
    /// Like [`replace`](super::replace), cached, but that the page cache stays as it is where the
    /// file system can do that: the bytes go to the disk at once. Their place in the file is known
    /// to the disk only after a sync.
    ///
    /// # Errors
    /// As [`replace`](super::replace).
    pub fn replace(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        put(path, 0o644, Existing::Replaced, |file| {
            let direct = File::from_std(file.try_clone()?);
            match self.write(&direct, bytes) {
                Ok(()) => Ok(()),
                // The file system cannot, or the device asks for other sizes.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    direct.set_direct(false)?;
                    direct.truncate(0)?;
                    write_pieces(file, [bytes], &|| true)
                }
                Err(error) => Err(error),
            }
        })
    }

    fn write(&mut self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let padded = bytes.len().next_multiple_of(PAGE_BYTES);
        if self.pages.bytes().len() < padded {
            self.pages = PageBuffer::zeroed(padded);
        }
        let Some(pages) = self.pages.bytes_mut().get_mut(..padded) else { return Ok(()) };
        let (content, padding) = pages.split_at_mut(bytes.len());
        content.copy_from_slice(bytes);
        padding.fill(0);
        file.set_direct(true)?;
        file.write_at(pages, 0)?;
        file.truncate(bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::PastCache;

    #[test]
    fn files_are_whole_whatever_their_length() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut past_cache = PastCache::default();
        for length in [10_000, 0, 1, 4096, 4097, 20_000, 4095] {
            let bytes: Vec<u8> = (0..length).map(|nth| (nth % 251) as u8 + 1).collect();
            past_cache.replace(&path, &bytes).unwrap();
            assert!(std::fs::read(&path).unwrap() == bytes, "{length}");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
