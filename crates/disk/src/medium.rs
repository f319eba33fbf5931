//! A directory of files as a trait: what a store asks of the machine, and no more.
//!
//! Its forms: [`PosixMedium`](crate::PosixMedium) is a real directory,
//! [`MemoryMedium`](crate::MemoryMedium) holds its files in memory, and
//! [`FaultyMedium`](crate::FaultyMedium) is one that loses, tears and refuses by plan.

use std::{fmt, io};

/// A flat directory: files under names without a `/`.
pub trait Medium: fmt::Debug + Send + Sync {
    /// An open file of it.
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

    /// Takes a name away.
    ///
    /// # Errors
    /// `NotFound`, and those of `unlink(2)`.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Gives a file another name, in place of what had that name.
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

/// Zeros to be written. Linux copies from memory that it has not mapped yet page by page, and
/// clears the rest of the destination each time: from a fresh allocation, a large write costs many
/// times its bytes.
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

    /// Grows the file to `bytes`, with its blocks taken and written with zeros: a later write
    /// within them changes no metadata. What the file holds already stays; it never shrinks.
    ///
    /// # Errors
    /// Those of `fallocate(2)` and `pwrite(2)`; the file may then have grown in part.
    fn allocate(&self, bytes: u64) -> io::Result<()>;

    /// Grows the file to `bytes` with its blocks taken but not written: they read as zeros, and a
    /// full disk is told now instead of later. It never shrinks.
    ///
    /// # Errors
    /// Those of `fallocate(2)` and `ftruncate(2)`.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Refuses a file of so many bytes where the file system has no room for what it lacks of them.
    /// Both calls above ask for their own part; this is for callers that take the space in steps.
    ///
    /// # Errors
    /// `StorageFull`; those of `fstat(2)` and `fstatfs(2)`.
    fn check_room(&self, bytes: u64) -> io::Result<()> {
        let _ = bytes;
        Ok(())
    }

    /// Sets the size of the file; what is new reads as zeros.
    ///
    /// # Errors
    /// Those of `ftruncate(2)`.
    fn truncate(&self, bytes: u64) -> io::Result<()>;

    /// Waits until the data is on disk (`fdatasync(2)`).
    ///
    /// # Errors
    /// Those of `fdatasync(2)`. What was written since the last success is then in doubt: Linux
    /// forgets it, and a second call succeeds without having written it. The page cache has dropped
    /// it, so that reads give what the disk has, and what is written again reaches the disk.
    fn sync_data(&self) -> io::Result<()>;

    /// As [`MediumFile::sync_data`], but after a failure the page cache keeps what it has: for a
    /// file that is not written again, and whose cached pages are the only copy that can be read.
    ///
    /// # Errors
    /// As [`MediumFile::sync_data`].
    fn sync_data_or_keep(&self) -> io::Result<()> {
        self.sync_data()
    }

    /// Whether another process holds a shared lock on the file, as one does that copies it.
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    fn is_held(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Says that access is random: a read brings in what it asks for and no more.
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    fn advise_random(&self) -> io::Result<()> {
        Ok(())
    }

    /// The file of the operating system that it is, where it is one: what the page cache makes of
    /// its reads can be steered then.
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

    /// Writes so many zeros.
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

/// Asserts that a name is one of a file in the directory itself.
pub(crate) fn assert_flat(name: &str) {
    assert!(!name.is_empty(), "a file needs a name");
    assert!(!name.contains('/'), "{name:?} leads out of the directory");
    assert!(name != "." && name != "..", "{name:?} leads out of the directory");
}
