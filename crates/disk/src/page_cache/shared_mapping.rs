//! A mapping of a whole file for reading and writing, as rrdtool uses since 1.3.
//!
//! If another program truncates the file meanwhile, SIGBUS ends this process. So it is used only to
//! measure this method on files of our own, never for users' files.
#![expect(unsafe_code)] // mmap(2) has no safe form, and its bytes are everybody's

use std::ffi::c_void;
use std::io;

use rustix::mm::{Advice, MapFlags, ProtFlags};

use crate::{File, Mode};

/// A shared mapping of a file's first bytes: other processes see writes to it.
#[derive(Debug)]
pub struct SharedMapping {
    address: *mut c_void,
    bytes: usize,
    mode: Mode,
}

// SAFETY: the address is that of a mapping that only this value ends; its bytes are only ever
// copied.
unsafe impl Send for SharedMapping {}

impl SharedMapping {
    /// Maps the first `bytes` of a file, at least one.
    ///
    /// # Errors
    /// Those of `mmap(2)`.
    pub fn of(file: &File, bytes: usize, mode: Mode) -> io::Result<Self> {
        let access = match mode {
            Mode::Read => ProtFlags::READ,
            Mode::Update => ProtFlags::READ | ProtFlags::WRITE,
        };
        let (anywhere, kind) = (std::ptr::null_mut(), MapFlags::SHARED);
        // SAFETY: a new mapping at an address of the kernel's choice overlaps no other.
        let address = unsafe { rustix::mm::mmap(anywhere, bytes, access, kind, &file.0, 0)? };
        Ok(Self { address, bytes, mode })
    }

    /// Tells the kernel that access is random: no readahead (`madvise(2)`).
    ///
    /// # Errors
    /// Those of `madvise(2)`.
    pub fn advise_random(&self) -> io::Result<()> {
        // SAFETY: the mapping is ours, and the advice changes none of its bytes.
        let advised = unsafe { rustix::mm::madvise(self.address, self.bytes, Advice::Random) };
        advised.map_err(io::Error::from)
    }

    /// Copies bytes out until `buffer` is full or the mapping ends; returns how many.
    #[must_use]
    pub fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> usize {
        let (start, count) = self.within(offset_bytes, buffer.len());
        // SAFETY: the stretch lies in the mapping, and the buffer is another.
        unsafe {
            let from = self.address.cast::<u8>().add(start);
            std::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), count);
        }
        count
    }

    /// Whether `bytes` at this offset are within the mapping.
    #[must_use]
    pub fn covers(&self, bytes: &[u8], offset_bytes: u64) -> bool {
        self.within(offset_bytes, bytes.len()).1 == bytes.len()
    }

    /// Copies bytes in.
    ///
    /// # Panics
    ///
    /// If they are not within the mapping, or it was mapped for reading only.
    pub fn write_at(&mut self, bytes: &[u8], offset_bytes: u64) {
        assert!(self.mode == Mode::Update);
        let (start, count) = self.within(offset_bytes, bytes.len());
        assert!(count == bytes.len());
        // SAFETY: the stretch lies in the mapping, and the bytes are others.
        unsafe {
            let into = self.address.cast::<u8>().add(start);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), into, count);
        }
    }

    /// The start of a stretch, and how many bytes of it are mapped.
    fn within(&self, offset_bytes: u64, bytes: usize) -> (usize, usize) {
        let start = usize::try_from(offset_bytes).unwrap_or(self.bytes).min(self.bytes);
        (start, bytes.min(self.bytes - start))
    }
}

impl Drop for SharedMapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and it is not used after this.
        let ended = unsafe { rustix::mm::munmap(self.address, self.bytes) };
        debug_assert!(ended.is_ok(), "munmap of our own mapping: {ended:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::SharedMapping;
    use crate::{File, Mode};

    #[test]
    fn what_goes_in_is_in_the_file_and_nothing_behind_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(&directory.path().join("f")).unwrap();
        file.write_at(b"0123456789", 0).unwrap();
        let mut mapping = SharedMapping::of(&file, 10, Mode::Update).unwrap();
        mapping.advise_random().unwrap();
        mapping.write_at(b"abc", 4);
        assert!(mapping.covers(b"xyz", 7) && !mapping.covers(b"xyz", 8));
        assert!(!mapping.covers(b"xyz", u64::MAX));
        let mut bytes = [0; 12];
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 10);
        assert_eq!(&bytes[..10], b"0123abc789");
        assert_eq!(mapping.read_at(&mut bytes, 7), 3);
        assert_eq!(&bytes[..3], b"789");
    }
}
