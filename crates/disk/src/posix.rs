//! A real directory as a [`Medium`].

use std::io;
use std::path::{Path, PathBuf};

use crate::available::check_room_for;
use crate::medium::assert_flat;
use crate::{Advice, File, Medium, MediumFile, Mode};

/// A real directory.
#[derive(Debug)]
pub struct PosixMedium {
    root: PathBuf,
    directory: std::fs::File,
}

impl PosixMedium {
    /// Opens an existing directory.
    ///
    /// # Errors
    /// Those of `open(2)`.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.into(), directory: std::fs::File::open(root)? })
    }

    fn path(&self, name: &str) -> PathBuf {
        assert_flat(name);
        self.root.join(name)
    }
}

impl Medium for PosixMedium {
    type File = File;

    fn create(&self, name: &str) -> io::Result<File> {
        File::create(&self.path(name))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        File::open(&self.path(name), Mode::Update)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path(from), self.path(to))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.root)? {
            // A name that is not UTF-8 is not one of our files.
            names.extend(entry?.file_name().into_string().ok());
        }
        names.sort();
        Ok(names)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.directory.sync_all()
    }
}

impl MediumFile for File {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        Self::read_at(self, buffer, offset_bytes)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        Self::write_some_at(self, bytes, offset_bytes)
    }

    fn write_past_cache_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        if self.set_direct(true).is_err() {
            return Self::write_at(self, bytes, offset_bytes);
        }
        let written = Self::write_at(self, bytes, offset_bytes);
        self.set_direct(false)?;
        match written {
            // The device asks for other sizes.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                Self::write_at(self, bytes, offset_bytes)
            }
            written => written,
        }
    }

    fn len_bytes(&self) -> io::Result<u64> {
        Self::len_bytes(self)
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        let offset_bytes = Self::len_bytes(self)?;
        if offset_bytes >= bytes {
            return Ok(());
        }
        MediumFile::check_room(self, bytes)?;
        // Reserving gives one extent if there is room, and finds a full disk before anything is
        // written.
        self.reserve(bytes)?;
        self.write_zeros_at(bytes - offset_bytes, offset_bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        if Self::len_bytes(self)? >= bytes {
            return Ok(());
        }
        MediumFile::check_room(self, bytes)?;
        Self::reserve(self, bytes)?;
        Self::truncate(self, bytes)
    }

    fn check_room(&self, bytes: u64) -> io::Result<()> {
        check_room_for(&self.0, bytes.saturating_sub(Self::len_bytes(self)?))
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        Self::truncate(self, bytes)
    }

    fn advise_random(&self) -> io::Result<()> {
        Self::advise_random(self)
    }

    fn is_held(&self) -> io::Result<bool> {
        self.is_locked(crate::Mode::Update)
    }

    fn sync_data(&self) -> io::Result<()> {
        // If ext4 could not write a page into blocks that were only reserved, the page counts as
        // written while it is cached. Written again and synced with success, it still reads as
        // zeros once it has left the cache. So it is dropped from the cache first.
        Self::sync_data(self).inspect_err(|_| drop(self.advise(Advice::DontNeed, 0, 0)))
    }

    fn sync_data_or_keep(&self) -> io::Result<()> {
        Self::sync_data(self)
    }

    fn as_file(&self) -> Option<&File> {
        Some(self)
    }
}
