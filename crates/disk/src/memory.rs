//! A directory in memory as a [`Medium`].

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::medium::assert_flat;
use crate::{Medium, MediumFile};

/// A directory in memory. A clone is the same directory.
#[derive(Clone, Debug, Default)]
pub struct MemoryMedium(Arc<Mutex<BTreeMap<String, MemoryFile>>>);

/// A file in memory. A clone is the same file.
#[derive(Clone, Debug, Default)]
pub struct MemoryFile(Arc<Mutex<Vec<u8>>>);

impl MemoryMedium {
    /// A directory with these files.
    pub(crate) fn of(files: BTreeMap<String, MemoryFile>) -> Self {
        Self(Mutex::new(files).into())
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, MemoryFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryFile {
    /// A copy of the file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes().clone()
    }

    /// An independent copy.
    pub(crate) fn detached(&self) -> Self {
        Self(Arc::new(Mutex::new(self.to_bytes())))
    }

    pub(crate) fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Medium for MemoryMedium {
    type File = MemoryFile;

    fn create(&self, name: &str) -> io::Result<MemoryFile> {
        assert_flat(name);
        let mut files = self.files();
        if files.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(files.entry(name.into()).or_default().clone())
    }

    fn open(&self, name: &str) -> io::Result<MemoryFile> {
        assert_flat(name);
        self.files().get(name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        assert_flat(name);
        self.files().remove(name).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        assert_flat(from);
        assert_flat(to);
        let mut files = self.files();
        let file = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.into(), file);
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.files().keys().cloned().collect())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }
}

impl MediumFile for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        let bytes = self.bytes();
        let from = usize::try_from(offset_bytes).unwrap_or(usize::MAX).min(bytes.len());
        let count = buffer.len().min(bytes.len() - from);
        buffer[..count].copy_from_slice(&bytes[from..from + count]);
        Ok(count)
    }

    fn write_some_at(&self, new: &[u8], offset_bytes: u64) -> io::Result<usize> {
        let mut bytes = self.bytes();
        let from = usize::try_from(offset_bytes).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let to = from.checked_add(new.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        if bytes.len() < to {
            bytes.resize(to, 0);
        }
        bytes[from..to].copy_from_slice(new);
        Ok(new.len())
    }

    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.bytes().len() as u64)
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        if self.len_bytes()? < bytes { self.truncate(bytes) } else { Ok(()) }
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.allocate(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        let bytes = usize::try_from(bytes).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.bytes().resize(bytes, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}
