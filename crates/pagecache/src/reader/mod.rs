//! A reader that reads ahead by itself: adaptive readahead in user space.
//!
//! ```text
//! read_at -> readahead::Readahead -> Ahead: WILLNEED, a piece at a time    the disk works
//!                                    Check, Probe: cachestat               what is lost, what is
//!   there -> pread                                                         the reader works
//!   meanwhile
//! ```
//!
//! The kernel reads ahead of a forward reader, and does that better than a program can, because it
//! uses large folios. While all reads go forward, this reader leaves it to the kernel. Otherwise it
//! turns the kernel's readahead off (`POSIX_FADV_RANDOM`) and asks for pages itself. So reads that
//! go backward, in equal steps, or in several places at once also find their pages in memory, and
//! random reads load no extra pages. On file systems where advice has no effect, as in memory, it
//! just reads. *Not for* a few small reads: use `pread` for those.

mod residency;
mod before;
mod long;
mod free;

pub use long::Long;

use std::borrow::Borrow;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::readahead::{Parameters, Purpose, Readahead, Request};
use disk::{Advice, File, page_bytes};

use before::Before;
use residency::Residency;

/// Bytes asked for in one call: the kernel shortens longer requests to the device's readahead,
/// which usually has this value.
const PIECE_BYTES: u64 = 128 << 10;

/// A longer read is split, and its later parts are read ahead while earlier ones are copied.
const LONG_READ_BYTES: usize = 1 << 20;

/// The options of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Leave the page cache unchanged: pages that were not in it are dropped after they were read.
    pub leave_cached: bool,
    /// The most bytes that may wait to be read.
    pub memory_bytes_max: u64,
    /// The most pages that may wait to be read, in percent of the available memory and of the
    /// number at which pages were evicted. 0 turns readahead off.
    pub readahead_ratio: u64,
    /// The most pages read ahead for each page used. With 1, gaps between reads are not read.
    pub readahead_hit_rate: u64,
}

impl Options {
    /// A good choice for most long reads.
    pub const DEFAULT: Self = Self {
        leave_cached: false,
        memory_bytes_max: 32 << 20,
        readahead_ratio: 50,
        readahead_hit_rate: 1,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Statistics of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bytes read ahead.
    pub ahead_bytes: u64,
    /// Calls that read ahead.
    pub ahead_calls: u64,
    /// Calls that check what is in memory.
    pub looks: u64,
    /// How often pages were found to be evicted before they were read.
    pub losses: u64,
}

/// A file with readahead. Threads may share it. When it is dropped, its last advice stays with the
/// descriptor.
///
/// ```no_run
/// use disk::{File, Mode};
/// use pagecache::reader::{Options, Reader};
///
/// let file = File::open("backup.bin".as_ref(), Mode::Read)?;
/// let reader = Reader::new(&file, Options { leave_cached: true, ..Options::default() })?;
/// let mut last = vec![0; 1 << 16];
/// let read = reader.read_at(&mut last, 0)?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Reader<F: Borrow<File>> {
    file: F,
    page_bytes: u64,
    residency: Residency,
    policy: Mutex<Readahead>,
    /// Remembers what the cache held before; `None` if the cache need not be left unchanged.
    before: Option<Mutex<Before>>,
    /// Whether the file system rejected advice.
    deaf: AtomicBool,
    /// Whether the kernel's readahead is on.
    plain: AtomicBool,
    /// Reads whose requests are decided but not executed yet.
    asking: AtomicUsize,
    ahead: [AtomicU64; 4],
}

impl<F: Borrow<File>> Reader<F> {
    /// Opens a reader on a file that has no other users of this descriptor.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn new(file: F, options: Options) -> io::Result<Self> {
        let page_bytes = page_bytes() as u64;
        let this: &File = file.borrow();
        let deaf = this.advise_random().is_err();
        let all_pages = (options.memory_bytes_max / page_bytes).max(1);
        let pages_max = all_pages.min(Parameters::default().pages_max);
        let parameters = Parameters {
            page_bytes,
            pages_max,
            first_pages: Parameters::default().first_pages.min(pages_max),
            readahead_ratio: options.readahead_ratio,
            readahead_hit_rate: options.readahead_hit_rate.max(1),
            ..Parameters::default()
        };
        let mut policy = Readahead::new(parameters, this.len_bytes()?);
        let whole = 100 * all_pages / options.readahead_ratio.max(1);
        policy.set_free_pages(free::bytes().map_or(whole, |free| whole.min(free / page_bytes)));
        let residency = Residency::of(this);
        let before = options.leave_cached.then(|| Mutex::new(Before::default()));
        let (policy, deaf) = (Mutex::new(policy), AtomicBool::new(deaf));
        Ok(Self {
            file,
            page_bytes,
            residency,
            policy,
            before,
            deaf,
            plain: AtomicBool::new(false),
            asking: AtomicUsize::new(0),
            ahead: Default::default(),
        })
    }

    /// The underlying file.
    pub fn file(&self) -> &File {
        self.file.borrow()
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    ///
    /// # Errors
    /// Those of `pread(2)`.
    pub fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.read_ahead(offset_bytes, buffer.len() as u64);
        self.keep_in_mind(&self.pages(offset_bytes, buffer.len() as u64));
        let read = self.read_in_pieces(buffer, offset_bytes)?;
        if let Some(before) = &self.before {
            let end_bytes = offset_bytes + read as u64;
            let whole = if read < buffer.len() {
                end_bytes.div_ceil(self.page_bytes)
            } else {
                end_bytes / self.page_bytes
            };
            locked(before).done(
                self.file(),
                self.residency,
                &(offset_bytes / self.page_bytes..whole),
                self.page_bytes,
            );
        }
        Ok(read)
    }

    /// A cursor that reads from this offset on.
    pub fn from(&self, offset_bytes: u64) -> Cursor<'_, F> {
        Cursor { reader: self, offset_bytes }
    }

    /// Reads the file's size again, after it has grown or was truncated; returns it in bytes.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn refresh(&self) -> io::Result<u64> {
        let bytes = self.file().len_bytes()?;
        self.policy().set_file_bytes(bytes);
        Ok(bytes)
    }

    /// The statistics so far.
    pub fn counters(&self) -> Counters {
        let [bytes, calls, looks, losses] =
            self.ahead.each_ref().map(|it| it.load(Ordering::Relaxed));
        Counters { ahead_bytes: bytes, ahead_calls: calls, looks, losses }
    }

    /// Splits a long read, so that the disk reads the next part while this one is copied.
    fn read_in_pieces(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        if buffer.len() <= 2 * LONG_READ_BYTES {
            return self.file().read_at(buffer, offset_bytes);
        }
        let (bytes, mut read) = (buffer.len() as u64, 0);
        for piece in buffer.chunks_mut(LONG_READ_BYTES) {
            let from = read as u64 + LONG_READ_BYTES as u64;
            if from < bytes {
                let next = (bytes - from).min(2 * LONG_READ_BYTES as u64);
                self.prefetch(&self.pages(offset_bytes + from, next));
            }
            let count = self.file().read_at(piece, offset_bytes + read as u64)?;
            read += count;
            if count < piece.len() {
                break;
            }
        }
        Ok(read)
    }

    fn read_ahead(&self, offset_bytes: u64, bytes: u64) {
        let requests = {
            let mut policy = self.policy();
            let requests = policy.read(offset_bytes, bytes).to_vec();
            let plain = policy.is_plain() && self.before.is_none();
            if self.leave_to_kernel(plain) && !plain {
                policy.unasked();
            }
            if plain || requests.is_empty() {
                return;
            }
            self.asking.fetch_add(1, Ordering::SeqCst);
            requests
        };
        let (ahead, looks): (Vec<Request>, Vec<Request>) =
            requests.into_iter().partition(|request| request.purpose == Purpose::Ahead);
        looks.iter().for_each(|request| self.look(request));
        self.ask(&ahead);
        self.asking.fetch_sub(1, Ordering::SeqCst);
    }

    /// Turns the kernel's readahead on or off; returns whether that was a change.
    fn leave_to_kernel(&self, plain: bool) -> bool {
        let is_new = self.plain.swap(plain, Ordering::Relaxed) != plain;
        if is_new {
            let advice = if plain { Advice::Sequential } else { Advice::Random };
            // If the advice is not supported, there is no readahead, and reads still work.
            let _ = self.file().advise(advice, 0, 0);
        }
        is_new
    }

    fn look(&self, Request { purpose, pages }: &Request) {
        if *purpose == Purpose::Probe {
            if self.resident_pages(pages) == Some(0) {
                self.policy().missing(pages);
            }
            return;
        }
        // Pages that another thread is about to ask for are missing, but not evicted.
        if self.asking.load(Ordering::SeqCst) > 1 {
            return;
        }
        self.count(2, 1);
        if let Some(lost) = self.residency.lost(self.file(), pages, self.page_bytes) {
            self.count(3, 1);
            self.policy().evicted(&lost);
        }
    }

    /// Executes requests to read ahead. Stretches are checked up to the first that is not in
    /// memory.
    fn ask(&self, requests: &[Request]) {
        let mut stretches = requests.iter().map(|request| &request.pages).peekable();
        while let Some(pages) =
            stretches.next_if(|pages| self.resident_pages(pages) == Some(pages.end - pages.start))
        {
            self.policy().resident(pages);
        }
        for pages in stretches {
            // So another thread that reads these pages meanwhile drops them only once they are
            // there.
            let _in_mind = self.before.as_ref().map(|before| {
                let mut before = locked(before);
                before.about_to_read(self.file(), self.residency, pages, self.page_bytes);
                before
            });
            self.prefetch(pages);
        }
    }

    fn prefetch(&self, pages: &Range<u64>) {
        let (mut from, end) = (pages.start * self.page_bytes, pages.end * self.page_bytes);
        while from < end && !self.deaf.load(Ordering::Relaxed) {
            let bytes = PIECE_BYTES.min(end - from);
            if self.file().prefetch(from, bytes).is_err() {
                self.deaf.store(true, Ordering::Relaxed);
                return;
            }
            self.count(0, bytes);
            self.count(1, 1);
            from += bytes;
        }
    }

    /// Remembers whether pages are in memory before they are read.
    fn keep_in_mind(&self, pages: &Range<u64>) {
        if let Some(before) = &self.before {
            locked(before).about_to_read(self.file(), self.residency, pages, self.page_bytes);
        }
    }

    fn resident_pages(&self, pages: &Range<u64>) -> Option<u64> {
        self.count(2, 1);
        self.residency.resident_pages(self.file(), pages, self.page_bytes)
    }

    fn pages(&self, offset_bytes: u64, bytes: u64) -> Range<u64> {
        let end_bytes = offset_bytes.saturating_add(bytes);
        offset_bytes / self.page_bytes..end_bytes.div_ceil(self.page_bytes)
    }

    fn count(&self, which: usize, by: u64) {
        self.ahead[which].fetch_add(by, Ordering::Relaxed);
    }

    fn policy(&self) -> MutexGuard<'_, Readahead> {
        locked(&self.policy)
    }
}

impl<F: Borrow<File>> Drop for Reader<F> {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            locked(before).leave(self.file.borrow(), self.residency, self.page_bytes);
        }
    }
}

/// Locks a mutex even if a thread panicked while it held it: the state is only a guess, which stays
/// usable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reader with a position.
#[derive(Debug)]
pub struct Cursor<'r, F: Borrow<File>> {
    reader: &'r Reader<F>,
    offset_bytes: u64,
}

impl<F: Borrow<File>> io::Read for Cursor<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read_at(buffer, self.offset_bytes)?;
        self.offset_bytes += read as u64;
        Ok(read)
    }
}
