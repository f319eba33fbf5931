//! Directories of many kinds as one type.
//!
//! Code that is generic over media is compiled anew for each of them. With this one it is compiled
//! once for all that need not be fast between two system calls.

use std::io;
use std::sync::Arc;

use crate::{Medium, MediumFile};

/// Any directory. A clone leads to the same one.
#[derive(Clone, Debug)]
pub struct AnyMedium(Arc<dyn Directory>);

impl AnyMedium {
    /// A directory whose type is no longer told.
    pub fn of<M: Medium<File: 'static>>(medium: M) -> Self {
        Self(Arc::new(medium))
    }
}

/// An open file of an [`AnyMedium`].
#[derive(Debug)]
pub struct AnyFile(Box<dyn MediumFile>);

/// [`Medium`] for objects: its type of files is no part of it.
trait Directory: std::fmt::Debug + Send + Sync {
    fn create(&self, name: &str) -> io::Result<AnyFile>;
    fn open(&self, name: &str) -> io::Result<AnyFile>;
    fn remove(&self, name: &str) -> io::Result<()>;
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    fn list(&self) -> io::Result<Vec<String>>;
    fn sync_directory(&self) -> io::Result<()>;
}

impl<M: Medium<File: 'static>> Directory for M {
    fn create(&self, name: &str) -> io::Result<AnyFile> {
        Medium::create(self, name).map(|file| AnyFile(Box::new(file)))
    }

    fn open(&self, name: &str) -> io::Result<AnyFile> {
        Medium::open(self, name).map(|file| AnyFile(Box::new(file)))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        Medium::remove(self, name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Medium::rename(self, from, to)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Medium::list(self)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Medium::sync_directory(self)
    }
}

impl Medium for AnyMedium {
    type File = AnyFile;

    fn create(&self, name: &str) -> io::Result<AnyFile> {
        self.0.create(name)
    }

    fn open(&self, name: &str) -> io::Result<AnyFile> {
        self.0.open(name)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.0.list()
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }
}

// Each call of the trait, those with a body of their own too: the file may have another.
impl MediumFile for AnyFile {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset_bytes)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        self.0.write_some_at(bytes, offset_bytes)
    }

    fn len_bytes(&self) -> io::Result<u64> {
        self.0.len_bytes()
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.0.allocate(bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.0.reserve(bytes)
    }

    fn check_room(&self, bytes: u64) -> io::Result<()> {
        self.0.check_room(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.0.truncate(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn sync_data_or_keep(&self) -> io::Result<()> {
        self.0.sync_data_or_keep()
    }

    fn is_held(&self) -> io::Result<bool> {
        self.0.is_held()
    }

    fn advise_random(&self) -> io::Result<()> {
        self.0.advise_random()
    }

    fn as_file(&self) -> Option<&crate::File> {
        self.0.as_file()
    }

    fn write_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        self.0.write_at(bytes, offset_bytes)
    }

    fn write_past_cache_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        self.0.write_past_cache_at(bytes, offset_bytes)
    }

    fn write_zeros_at(&self, bytes: u64, offset_bytes: u64) -> io::Result<()> {
        self.0.write_zeros_at(bytes, offset_bytes)
    }
}
