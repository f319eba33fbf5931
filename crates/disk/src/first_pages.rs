//! The first pages of many files, asked for by one system call.
//!
//! A disk that is asked for many pages at once answers them in little more than the time of one,
//! neighbours by one request, and each call, bell and interrupt serves many. Linux offers that as
//! io_uring, which older kernels lack and containers often forbid: then nothing is read here, and
//! the read that each caller makes anyway waits for its own page.
#![expect(unsafe_code)] // the kernel writes to memory after the call that asked it to

use std::io;
use std::os::fd::AsRawFd as _;

use io_uring::{IoUring, opcode, types};

use crate::File;

/// Bytes of a first page.
const PAGE_BYTES: usize = 4096;

/// Room for the first pages of some files, and the way to ask for them together.
#[derive(Default)]
pub struct FirstPages {
    pages: Box<[u8]>,
    /// For each of the files of the last call, what of its page was read.
    read_bytes: Vec<Option<usize>>,
    ring: Option<IoUring>,
}

impl std::fmt::Debug for FirstPages {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("FirstPages").finish_non_exhaustive()
    }
}

impl FirstPages {
    /// Room for so many files at once; none where the kernel offers no io_uring, or forbids it.
    #[must_use]
    pub fn of(files_max: u32) -> Self {
        let Ok(ring) = ring(files_max) else { return Self::default() };
        let pages = vec![0; files_max as usize * PAGE_BYTES].into_boxed_slice();
        Self { pages, read_bytes: Vec::new(), ring: Some(ring) }
    }

    /// For how many files there is room.
    #[must_use]
    pub fn files_max(&self) -> usize {
        self.pages.len() / PAGE_BYTES
    }

    /// Asks for the first pages of files, all at once, and waits for them; of too many files, for
    /// those of the first.
    pub fn read<'a>(&mut self, files: impl Iterator<Item = &'a File>) {
        self.read_bytes.clear();
        let Some(ring) = &mut self.ring else { return };
        for (file, page) in files.zip(self.pages.chunks_exact_mut(PAGE_BYTES)) {
            let nth = self.read_bytes.len() as u64;
            let read = opcode::Read::new(
                types::Fd(file.0.as_raw_fd()),
                page.as_mut_ptr(),
                PAGE_BYTES as u32,
            );
            // SAFETY: nobody touches the page until its read is over, and the files are open
            // until then: what follows waits for all of them.
            let pushed = unsafe { ring.submission().push(&read.build().user_data(nth)) };
            if pushed.is_err() {
                break;
            }
            self.read_bytes.push(None);
        }
        if take(ring, &mut self.read_bytes).is_err() {
            // The kernel may write to the pages for as long as the process lasts.
            std::mem::forget(std::mem::take(&mut self.pages));
            self.read_bytes.clear();
            self.ring = None;
        }
    }

    /// The first page of one of the files that were just read, by its position; of a shorter file,
    /// all of it. `None` if it could not be read: reading it again tells why.
    #[must_use]
    pub fn page(&self, nth: usize) -> Option<&[u8]> {
        let read_bytes = (*self.read_bytes.get(nth)?)?;
        self.pages.chunks_exact(PAGE_BYTES).nth(nth)?.get(..read_bytes)
    }
}

/// A ring whose results are taken by the thread that asked, when it asks for them, where the kernel
/// knows that (Linux 6.1): no read interrupts it then.
fn ring(entries: u32) -> io::Result<IoUring> {
    let quiet = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
    quiet.or_else(|_| IoUring::new(entries))
}

/// Submits what was pushed, and waits until all of it is over.
///
/// # Errors
/// It is not known what is over.
fn take(ring: &mut IoUring, read_bytes: &mut [Option<usize>]) -> io::Result<()> {
    let mut left = read_bytes.len();
    while left > 0 {
        match ring.submit_and_wait(left) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        for done in ring.completion() {
            left -= 1;
            if let Some(read) = read_bytes.get_mut(done.user_data() as usize) {
                *read = usize::try_from(done.result()).ok();
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    #[test]
    fn pages_are_those_of_their_files() {
        let directory = tempfile::tempdir().unwrap();
        let mut pages = FirstPages::of(8);
        assert!(pages.files_max() == 8 || pages.files_max() == 0);
        for round in 0..3_usize {
            // Empty, short, a page, and longer; and more files than there is room for.
            let sizes = [0, 1, 100, 4095, 4096, 4097, 10_000, 1 + round, 5, 6];
            let files: Vec<File> = sizes
                .iter()
                .enumerate()
                .map(|(nth, size)| {
                    let path = directory.path().join(format!("{round} {nth}"));
                    std::fs::write(&path, vec![nth as u8 + 1; *size]).unwrap();
                    File::open(&path, Mode::Read).unwrap()
                })
                .collect();
            pages.read(files.iter());
            for (nth, size) in sizes.iter().enumerate() {
                let expected = vec![nth as u8 + 1; (*size).min(PAGE_BYTES)];
                let is_read = nth < pages.files_max();
                assert_eq!(pages.page(nth), is_read.then_some(&expected[..]), "{round} {nth}");
            }
        }
        pages.read(std::iter::empty());
        assert_eq!(pages.page(0), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_has_no_page() {
        let directory = File::open(std::path::Path::new("/"), Mode::Read).unwrap();
        let mut pages = FirstPages::of(2);
        pages.read([&directory].into_iter());
        assert_eq!(pages.page(0), None);
    }

    /// What a kernel without io_uring leaves.
    #[test]
    fn without_the_kernels_help_nothing_is_read() {
        let file = File::open(std::path::Path::new("/proc/self/exe"), Mode::Read).unwrap();
        let mut pages = FirstPages::default();
        pages.read([&file].into_iter());
        assert_eq!((pages.files_max(), pages.page(0)), (0, None));
    }
}
