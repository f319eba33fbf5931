//! All that is known of how one file is read.

use std::ops::Range;

use crate::readahead::access::Access;
use crate::readahead::caps::Caps;
use crate::readahead::parameters::Parameters;
use crate::readahead::request::Request;
use crate::readahead::runs::Runs;
use crate::readahead::stream::Stream;
use crate::readahead::stride::Strides;

/// A stream that took none of so many reads has no share of what is capped.
const ACTIVE_READS: u64 = 256;
/// After so many reads one that no stream explained is forgotten.
const STRAY_READS: u64 = 32;
/// A stream was a wrong guess when none of so many reads used what it asked for.
const BARREN_READS: u64 = 64;

/// How one open file is read, and what to read ahead of it.
///
/// ```
/// use pagecache::readahead::{Parameters, Purpose, Readahead};
///
/// let mut readahead = Readahead::new(Parameters::default(), 1 << 20);
/// assert_eq!(readahead.read(0, 4096), []);
/// let requests = readahead.read(4096, 4096);
/// assert_eq!((requests[0].purpose, requests[0].pages.clone()), (Purpose::Ahead, 2..34));
/// ```
#[derive(Clone, Debug)]
pub struct Readahead {
    by: Parameters,
    file_pages: u64,
    /// The one that took the last read lies first.
    streams: Vec<Stream>,
    runs: Runs,
    strides: Strides,
    caps: Caps,
    /// The pages of the last read.
    last: Range<u64>,
    reads: u64,
    /// The number of the last read that no stream explained.
    stray: u64,
    requests: Vec<Request>,
}

impl Readahead {
    /// A file of so many bytes of which nothing was read.
    ///
    /// # Panics
    /// Where a parameter makes no sense.
    #[must_use]
    pub fn new(by: Parameters, file_bytes: u64) -> Self {
        by.assert_sound();
        let mut this = Self {
            by,
            file_pages: 0,
            streams: Vec::new(),
            runs: Runs::default(),
            strides: Strides::default(),
            caps: Caps::default(),
            last: 0..0,
            reads: 0,
            stray: 0,
            requests: Vec::new(),
        };
        this.set_file_bytes(file_bytes);
        this
    }

    /// Says that the file has another size now.
    pub fn set_file_bytes(&mut self, bytes: u64) {
        self.file_pages = bytes.div_ceil(self.by.page_bytes);
    }

    /// Says how much memory can be had: what waits to be read takes no more than its ratio of it.
    pub fn set_free_pages(&mut self, pages: u64) {
        self.caps.set_free(pages);
    }

    /// Takes a read that is about to happen; says what to do before it.
    pub fn read(&mut self, offset_bytes: u64, bytes: u64) -> &[Request] {
        self.requests.clear();
        if let Some(access) = Access::new(offset_bytes, bytes, self.by.page_bytes) {
            let again = self.last.start <= access.pages.start && access.pages.end <= self.last.end;
            if !again && self.by.readahead_ratio > 0 {
                self.reads += 1;
                self.last = access.pages.clone();
                self.follow(&access);
            }
        }
        &self.requests
    }

    fn follow(&mut self, access: &Access) {
        let nearest = self.nearest_stream(access);
        if let Some(nth) = nearest {
            self.streams[nth].take(access);
            self.streams.swap(0, nth);
        }
        // Steps may yet turn out to be a line that is read out of order.
        if nearest.is_none() || self.streams[0].is_steps() {
            let found = self.detect(access, nearest.is_none());
            match found {
                Some(stream) => self.add(stream, nearest.is_some()),
                None if nearest.is_none() => {
                    self.stray = self.reads;
                    return;
                }
                None => {}
            }
        }
        self.streams[0].touched = self.reads;
        self.ask();
    }

    fn ask(&mut self) {
        let (active, file_pages) = (self.active_streams(), self.file_pages);
        let cap = self.caps.of_one(active, &self.by);
        if self.streams[0].ask(file_pages, cap, &self.by, &mut self.requests) {
            self.caps.calm(active, &self.by);
        }
    }

    /// The stream that a read is one of. Where several would have it: a line, since no steps lie in
    /// one; and whose reader is closest.
    fn nearest_stream(&self, access: &Access) -> Option<usize> {
        let near = self.streams.iter().enumerate().filter_map(|(nth, stream)| {
            stream.distance(access).map(|distance| (stream.is_steps(), distance, nth))
        });
        near.min().map(|(_, _, nth)| nth)
    }

    /// The stream which this read makes.
    fn detect(&mut self, access: &Access, also_steps: bool) -> Option<Stream> {
        // Guesses of which nothing was used make the next one dearer.
        let wrong =
            |stream: &&Stream| stream.is_barren() && self.reads - stream.touched > BARREN_READS;
        let doubts = self.streams.iter().filter(wrong).count() as u32;
        let chance = self.runs.reads_by_chance(access, self.file_pages);
        if let Some(found) = self.runs.take(access, doubts + chance, &self.by) {
            let adopted = self.streams.iter_mut().any(|stream| stream.adopt(&found));
            return (!adopted).then(|| Stream::line(&found, access));
        }
        let steps = self.strides.take(access, doubts, self.by.readahead_hit_rate);
        let steps = steps.filter(|_| also_steps)?;
        Some(Stream::steps(steps, access, self.by.page_bytes))
    }

    /// Follows a stream, in place of the first where that was mistaken for something else, of the
    /// oldest where there are many.
    fn add(&mut self, mut stream: Stream, in_place_of_first: bool) {
        stream.born = self.reads;
        if in_place_of_first {
            self.streams[0] = stream;
            return;
        }
        if self.streams.len() == self.by.streams_max {
            let oldest = (0..self.streams.len()).min_by_key(|nth| self.streams[*nth].touched);
            self.streams.swap_remove(oldest.expect("streams are followed"));
        }
        self.streams.push(stream);
        let last = self.streams.len() - 1;
        self.streams.swap(0, last);
    }

    fn active_streams(&self) -> u64 {
        let active = |stream: &&Stream| {
            self.reads - stream.touched < ACTIVE_READS && !stream.has_ended(self.file_pages)
        };
        self.streams.iter().filter(active).count() as u64
    }

    /// Says that these pages, which were read ahead, left memory before they were read. They are
    /// asked for again, and less is from now on.
    pub fn evicted(&mut self, pages: &Range<u64>) {
        let waited: u64 = self.streams.iter().map(Stream::outstanding).sum();
        if self.streams.iter_mut().find_map(|stream| stream.lost(pages, false)).is_some() {
            self.caps.lost(waited);
        }
    }

    /// Says that these pages, which are to be read ahead, were in memory.
    pub fn resident(&mut self, pages: &Range<u64>) {
        let _ = self.streams.iter_mut().any(|stream| stream.resident(pages)); // its stream may be gone
    }

    /// Says that these pages are not in memory, against what their stream believed.
    pub fn missing(&mut self, pages: &Range<u64>) {
        let _ = self.streams.iter_mut().any(|stream| stream.lost(pages, true).is_some());
    }

    /// Whether all that is read is one stream forward, or a file from its first page on: what the
    /// readahead of a kernel is made for, so that it may have it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        match self.streams.first() {
            None => self.reads == 1 && self.last.start == 0,
            Some(stream) => {
                let strays = self.stray > stream.born && self.reads - self.stray < STRAY_READS;
                stream.is_forward() && !strays && self.active_streams() <= 1
            }
        }
    }

    /// Says that nothing of what was asked for was done: it will be asked for again.
    pub fn unasked(&mut self) {
        self.streams.iter_mut().for_each(Stream::unasked);
    }

    /// Pages that were asked for and not read yet.
    #[must_use]
    pub fn outstanding_pages(&self) -> u64 {
        self.streams.iter().map(Stream::outstanding).sum()
    }
}
