//! A file of a [`disk::Medium`] as redb wants it, with an eye on rot.
//!
//! redb checks its checksums when it opens a file, and believes what it reads later: over a rotten
//! page it panics, in a destructor too, which ends the process. So the checksums of all pages, a
//! hundred kilobytes for a million RRDs, are kept here, and a page that is not as it was written is
//! an error of the read.
//!
//! redb writes a part of its first page at each commit. Where memory is scarce the kernel has to
//! read that page again before it can take the part; so the page is kept here, too, and written
//! whole.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use disk::MediumFile;
use redb::StorageBackend;

/// What redb reads and writes, but for its header.
const PAGE_BYTES: usize = 4096;
/// redb asks for a megabyte and more at once, of which a small store fills some pages at the start.
/// Up to this size of the file only those are promised by the disk.
const FIRST_BYTES: u64 = 5 << 18;
/// So much of a file of that size is promised.
const PROMISED_BYTES: u64 = 128 << 10;
/// What is read at once before opening.
const READ_BYTES: usize = 1 << 20;

/// Where redb's first page tells which root is the valid one, and whether the file was closed.
pub(super) const FLAGS: usize = 9;
/// Of the flags, whether the second root is the valid one.
pub(super) const SECOND_IS_VALID: u8 = 1;
/// Of the flags, whether the file was not closed.
pub(super) const IS_OPEN: u8 = 2;
/// Of the flags, whether the commits have two phases: the valid root was durable before it was
/// valid.
pub(super) const IS_TRUSTED: u8 = 4;
/// Where a root has the number of its commit.
const TRANSACTION: Range<usize> = 104..112;
/// Where the first page tells of the two roots.
pub(super) const ROOTS: [Range<usize>; 2] = [64..192, 192..320];

/// A file of a [`disk::Medium`] as redb wants it.
#[derive(Debug)]
pub(super) struct Backend<F> {
    file: F,
    /// CRC-32 of each page, where it is known.
    checksums: RwLock<Vec<Option<u32>>>,
    /// The first page.
    header: Mutex<Vec<u8>>,
    /// Whether it was written since the file was opened: then redb has found it in order.
    header_written: AtomicBool,
}

impl<F: MediumFile> Backend<F> {
    /// An empty file.
    pub(super) fn new(file: F) -> Self {
        let header = Mutex::new(vec![0; PAGE_BYTES]);
        let header_written = AtomicBool::new(false);
        Self { file, checksums: RwLock::default(), header, header_written }
    }

    /// A file that holds something. It is read from end to end: redb, which follows its tree from
    /// page to page, then finds it in the page cache; a disk is read in order, not at random.
    pub(super) fn read_whole(file: F) -> io::Result<Self> {
        let mut bytes = file.len_bytes()?;
        if !bytes.is_multiple_of(PAGE_BYTES as u64) {
            // Growth that a power cut interrupted: nothing is stored there yet, and redb takes the
            // layout of the file from its size.
            bytes = bytes.next_multiple_of(PAGE_BYTES as u64);
            file.truncate(bytes)?;
        }
        let mut checksums = Vec::with_capacity(bytes as usize / PAGE_BYTES);
        let mut buffer = vec![0; READ_BYTES];
        let mut header = None;
        loop {
            let offset_bytes = (checksums.len() * PAGE_BYTES) as u64;
            let read = file.read_at(&mut buffer, offset_bytes)?;
            let header = header.get_or_insert_with(|| buffer[..PAGE_BYTES].to_vec());
            let (pages, _) = buffer[..read].as_chunks::<PAGE_BYTES>();
            checksums.extend(pages.iter().map(|page| Some(crc32fast::hash(page))));
            if read < READ_BYTES {
                let header = Mutex::new(std::mem::take(header));
                let (checksums, header_written) = (RwLock::new(checksums), AtomicBool::new(false));
                return Ok(Self { file, checksums, header, header_written });
            }
        }
    }

    fn header(&self) -> MutexGuard<'_, Vec<u8>> {
        self.header.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> RwLockReadGuard<'_, Vec<Option<u32>>> {
        self.checksums.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, Vec<Option<u32>>> {
        self.checksums.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: MediumFile + 'static> Backend<F> {
    /// After a commit, tells of its root in the place of the one before, too, so that either may
    /// rot. The one before is of no use any more: redb may have cut its pages off the file.
    fn double_root(&self) -> io::Result<()> {
        if !self.header_written.load(Ordering::Acquire) {
            return Ok(());
        }
        let (copy, start) = {
            let header = self.header();
            let [first, second] = ROOTS.map(|root| &header[root]);
            let (valid, other, start) = match header[FLAGS] & SECOND_IS_VALID {
                0 => (first, second, ROOTS[1].start),
                _ => (second, first, ROOTS[0].start),
            };
            // Between the two phases of a commit the newer root is not valid yet.
            let is_committed =
                header[FLAGS] & IS_TRUSTED != 0 && transaction_of(valid) > transaction_of(other);
            if !is_committed {
                return Ok(());
            }
            (valid.to_vec(), start)
        };
        self.write(start as u64, &copy)
    }
}

/// The number of the commit that a root is of.
fn transaction_of(root: &[u8]) -> u64 {
    root.get(TRANSACTION).map_or(0, |bytes| u64::from_le_bytes(bytes.as_chunks().0[0]))
}

impl<F: MediumFile + 'static> StorageBackend for Backend<F> {
    fn len(&self) -> io::Result<u64> {
        self.file.len_bytes()
    }

    fn read(&self, offset_bytes: u64, out: &mut [u8]) -> io::Result<()> {
        let checksums = self.known();
        if self.file.read_at(out, offset_bytes)? < out.len() {
            // Something points there that has rotted, or the file was cut: no call failed.
            let what = format!("the file ends before byte {}", offset_bytes + out.len() as u64);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        for (page, bytes) in whole_pages(offset_bytes, out) {
            let wanted = checksums.get(page).copied().flatten();
            if wanted.is_some_and(|wanted| wanted != crc32fast::hash(bytes)) {
                let what = format!("page {page} is not what was written or checked");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
        Ok(())
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        assert!(bytes >= PAGE_BYTES as u64, "redb's first page stays");
        let mut checksums = self.change();
        if bytes < self.file.len_bytes()? {
            checksums.truncate(bytes as usize / PAGE_BYTES);
            return self.file.truncate(bytes);
        }
        // The room is taken now, so that a full disk is told here and not by a page in the middle.
        match bytes <= FIRST_BYTES {
            true => {
                self.file.reserve(bytes.min(PROMISED_BYTES))?;
                self.file.truncate(bytes)?;
            }
            false => self.file.reserve(bytes)?,
        }
        // redb takes the layout of a file that was not closed from its size: no page may reach the
        // disk behind an end that has not.
        self.file.sync_data()
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()?;
        // It need not be durable: until it is, the page is as redb left it.
        self.double_root()
    }

    fn close(&self) -> io::Result<()> {
        self.double_root()?;
        self.file.sync_data()
    }

    fn write(&self, offset_bytes: u64, data: &[u8]) -> io::Result<()> {
        let mut checksums = self.change();
        let mut header = self.header();
        let (offset_bytes, data) = match offset_bytes as usize {
            start if start < PAGE_BYTES => {
                let count = data.len().min(PAGE_BYTES - start);
                header[start..start + count].copy_from_slice(&data[..count]);
                self.header_written.store(true, Ordering::Release);
                if count == data.len() { (0, &header[..]) } else { (offset_bytes, data) }
            }
            _ => (offset_bytes, data),
        };
        let touched = touched_pages(offset_bytes, data.len());
        if checksums.len() < touched.end {
            checksums.resize(touched.end, None);
        }
        // Whatever becomes of the write, and of the rest of a page that is not written whole.
        checksums[touched].fill(None);
        self.file.write_at(data, offset_bytes)?;
        for (page, bytes) in whole_pages(offset_bytes, data) {
            checksums[page] = Some(crc32fast::hash(bytes));
        }
        Ok(())
    }
}

/// The pages that lie in a stretch of the file as a whole, by their number.
fn whole_pages(offset_bytes: u64, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let offset_bytes = offset_bytes as usize;
    let first = offset_bytes.div_ceil(PAGE_BYTES);
    let skipped = (first * PAGE_BYTES - offset_bytes).min(bytes.len());
    (first..).zip(bytes[skipped..].chunks_exact(PAGE_BYTES))
}

fn touched_pages(offset_bytes: u64, count: usize) -> Range<usize> {
    let offset_bytes = offset_bytes as usize;
    offset_bytes / PAGE_BYTES..(offset_bytes + count).div_ceil(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use disk::MediumFile;
    use redb::StorageBackend as _;

    use super::{Backend, PAGE_BYTES};

    /// Notes what is written: where, and how much.
    #[derive(Debug, Default)]
    struct Noting {
        bytes: Mutex<Vec<u8>>,
        writes: Mutex<Vec<(u64, usize)>>,
    }

    impl MediumFile for Noting {
        fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
            let bytes = self.bytes.lock().unwrap();
            let there = &bytes[(offset_bytes as usize).min(bytes.len())..];
            let count = there.len().min(buffer.len());
            buffer[..count].copy_from_slice(&there[..count]);
            Ok(count)
        }

        fn write_some_at(&self, new: &[u8], offset_bytes: u64) -> io::Result<usize> {
            self.writes.lock().unwrap().push((offset_bytes, new.len()));
            let at = offset_bytes as usize;
            self.bytes.lock().unwrap()[at..at + new.len()].copy_from_slice(new);
            Ok(new.len())
        }

        fn len_bytes(&self) -> io::Result<u64> {
            Ok(self.bytes.lock().unwrap().len() as u64)
        }

        fn allocate(&self, bytes: u64) -> io::Result<()> {
            self.truncate(bytes)
        }

        fn reserve(&self, bytes: u64) -> io::Result<()> {
            self.truncate(bytes)
        }

        fn truncate(&self, bytes: u64) -> io::Result<()> {
            self.bytes.lock().unwrap().resize(bytes as usize, 0);
            Ok(())
        }

        fn sync_data(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_points_behind_the_end_is_damage() {
        let backend = Backend::new(Noting::default());
        backend.set_len(PAGE_BYTES as u64).unwrap();
        let error = backend.read(PAGE_BYTES as u64 - 8, &mut [0; 16]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(error.to_string(), "the file ends before byte 4104");
    }

    #[test]
    fn the_first_page_is_written_whole_and_keeps_what_is_not_written_now() {
        let backend = Backend::new(Noting::default());
        backend.set_len(2 * PAGE_BYTES as u64).unwrap();
        backend.write(0, &[1; 320]).unwrap();
        backend.write(64, &[2; 8]).unwrap();
        backend.write(PAGE_BYTES as u64, &[3; PAGE_BYTES]).unwrap();
        let page = PAGE_BYTES;
        assert_eq!(*backend.file.writes.lock().unwrap(), [(0, page), (0, page), (4096, page)]);

        let again = Backend::read_whole(backend.file).unwrap();
        again.write(16, &[4; 8]).unwrap();
        let bytes = again.file.bytes.lock().unwrap();
        let expected = [[1; 16].as_slice(), &[4; 8], &[1; 40], &[2; 8], &[1; 248], &[0; 3776]];
        assert_eq!(bytes[..page], *expected.concat());
        assert_eq!(bytes[page..], [3; PAGE_BYTES]);
    }
}
