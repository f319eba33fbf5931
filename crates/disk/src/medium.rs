//! A directory of files as a trait: the operations that a store needs, and no more.
//!
//! Implementations: [`PosixMedium`](crate::PosixMedium) is a real directory,
//! [`MemoryMedium`](crate::MemoryMedium) holds its files in memory, and
//! [`FaultyMedium`](crate::FaultyMedium) loses, tears and refuses writes as planned.

use std::{fmt, io};

/// A flat directory: files under names without a `/`.
pub trait Medium: fmt::Debug + Send + Sync + 'static {
    /// An open file of the directory.
    type File: MediumFile;

    /// Makes an empty file, open for reading and writing.
    ///
    /// The name is durable after [`Medium::sync_directory`].
    ///
    /// # Errors
    /// `AlreadyExists`, and those of `open(2)`.
    fn create(&self, name: &str) -> io::Result<Self::File>;

    /// Opens an existing file for reading and writing.
    ///
    /// # Errors
    /// `NotFound`, and those of `open(2)`.
    fn open(&self, name: &str) -> io::Result<Self::File>;

    /// Removes a name.
    ///
    /// # Errors
    /// `NotFound`, and those of `unlink(2)`.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Renames a file; replaces a file that has the new name.
    ///
    /// # Errors
    /// `NotFound`, and those of `rename(2)`.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Every name, sorted.
    ///
    /// # Errors
    /// Those of `readdir(3)`.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Waits until the names are on disk (`fsync(2)` of the directory).
    ///
    /// # Errors
    /// Those of `fsync(2)`.
    fn sync_directory(&self) -> io::Result<()>;
}

/// Zeros to write. A fresh allocation would be slow: its pages are not mapped, so Linux copies page
/// by page and clears the rest of the destination each time. A large write would cost many times
/// its bytes.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// One open file of a [`Medium`].
pub trait MediumFile: fmt::Debug + Send + Sync {
    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    ///
    /// # Errors
    /// Those of `pread(2)`.
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize>;

    /// Writes some of `bytes`, at least one; returns how many.
    ///
    /// # Errors
    /// Those of `pwrite(2)`.
    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize>;

    /// The size of the file in bytes.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    fn len_bytes(&self) -> io::Result<u64>;

    /// Grows the file to `bytes`, allocates the blocks and writes zeros, so that a later write to
    /// them changes no metadata. The existing content stays; the file never shrinks.
    ///
    /// # Errors
    ///
    /// Those of `fallocate(2)` and `pwrite(2)`; the file may then have grown in part.
    fn allocate(&self, bytes: u64) -> io::Result<()>;

    /// Grows the file to `bytes` and allocates the blocks without writing them: they read as zeros,
    /// and a full disk is found now instead of later. The file never shrinks.
    ///
    /// # Errors
    ///
    /// Those of `fallocate(2)` and `ftruncate(2)`.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Refuses to grow the file to `bytes` if the file system lacks the space. Both calls above
    /// check this themselves; this is for callers that allocate in steps.
    ///
    /// # Errors
    ///
    /// `StorageFull`; those of `fstat(2)` and `fstatfs(2)`.
    fn check_room(&self, bytes: u64) -> io::Result<()> {
        let _ = bytes;
        Ok(())
    }

    /// Sets the size of the file; new bytes are zeros.
    ///
    /// # Errors
    /// Those of `ftruncate(2)`.
    fn truncate(&self, bytes: u64) -> io::Result<()>;

    /// Waits until the data is on disk (`fdatasync(2)`).
    ///
    /// # Errors
    ///
    /// Those of `fdatasync(2)`. The writes since the last successful sync are then in doubt: Linux
    /// marks their pages as clean, and a second sync succeeds without writing them. This call drops
    /// them from the page cache, so that reads give the disk's content, and data that is written
    /// again reaches the disk.
    fn sync_data(&self) -> io::Result<()>;

    /// Like [`MediumFile::sync_data`], but the page cache keeps its pages after a failure. For a
    /// file that is not written again, and whose cached pages are the only readable copy.
    ///
    /// # Errors
    ///
    /// As [`MediumFile::sync_data`].
    fn sync_data_or_keep(&self) -> io::Result<()> {
        self.sync_data()
    }

    /// Whether another process holds a shared lock on the file, as a process that copies it does.
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    fn is_held(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Advises that access is random: a read loads only the pages that it asks for.
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    fn advise_random(&self) -> io::Result<()> {
        Ok(())
    }

    /// The operating system's file, if it is one, for giving advice to the page cache.
    fn as_file(&self) -> Option<&crate::File> {
        None
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// As [`MediumFile::write_some_at`]; a part may have been written.
    fn write_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        let mut written = 0;
        while written < bytes.len() {
            match self.write_some_at(&bytes[written..], offset_bytes + written as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The same past the page cache where the system can, for much that is not read soon. It can if
    /// `bytes` and `offset_bytes` begin at pages, as those of a [`PageBuffer`](crate::PageBuffer)
    /// do. A sync is needed as after any other write.
    ///
    /// # Errors
    /// As [`MediumFile::write_at`].
    fn write_past_cache_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        self.write_at(bytes, offset_bytes)
    }

    /// Writes this many zeros.
    ///
    /// # Errors
    /// As [`MediumFile::write_at`].
    fn write_zeros_at(&self, bytes: u64, offset_bytes: u64) -> io::Result<()> {
        let end_bytes = offset_bytes + bytes;
        let mut at_bytes = offset_bytes;
        while at_bytes < end_bytes {
            let piece = ZEROS.len().min((end_bytes - at_bytes) as usize);
            self.write_at(&ZEROS[..piece], at_bytes)?;
            at_bytes += piece as u64;
        }
        Ok(())
    }
}

impl<M: Medium> Medium for std::sync::Arc<M> {
    type File = M::File;

    fn create(&self, name: &str) -> io::Result<M::File> {
        M::create(self, name)
    }

    fn open(&self, name: &str) -> io::Result<M::File> {
        M::open(self, name)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        M::remove(self, name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        M::rename(self, from, to)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        M::list(self)
    }

    fn sync_directory(&self) -> io::Result<()> {
        M::sync_directory(self)
    }
}

/// Asserts that a name is one of a file in the directory itself, without `/`.
pub(crate) fn assert_flat(name: &str) {
    assert!(!name.is_empty(), "a file needs a name");
    assert!(!name.contains('/'), "{name:?} leads out of the directory");
    assert!(name != "." && name != "..", "{name:?} leads out of the directory");
}
