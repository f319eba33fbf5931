//! The readahead state of one file.

use std::ops::Range;

use crate::readahead::access::Access;
use crate::readahead::caps::Caps;
use crate::readahead::parameters::Parameters;
use crate::readahead::request::Request;
use crate::readahead::runs::Runs;
use crate::readahead::stream::Stream;
use crate::readahead::stride::Strides;

/// A stream without a read among this many has no share of the limit on waiting pages.
const ACTIVE_READS: u64 = 256;
/// A read that belongs to no stream is forgotten after this many reads.
const STRAY_READS: u64 = 32;
/// A stream was a wrong guess if none of this many reads used a page that it asked for.
const BARREN_READS: u64 = 64;

/// The readahead state of one open file.
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
    /// The stream of the last read comes first.
    streams: Vec<Stream>,
    runs: Runs,
    strides: Strides,
    caps: Caps,
    /// The pages of the last read.
    last: Range<u64>,
    reads: u64,
    /// The number of the last read that belonged to no stream.
    stray: u64,
    requests: Vec<Request>,
}

impl Readahead {
    /// A file of this size that has not been read yet.
    ///
    /// # Panics
    ///
    /// If a parameter is not valid.
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

    /// Sets a new size of the file.
    pub fn set_file_bytes(&mut self, bytes: u64) {
        self.file_pages = bytes.div_ceil(self.by.page_bytes);
    }

    /// Sets the available memory: pages that wait to be read take at most the configured ratio of
    /// it.
    pub fn set_free_pages(&mut self, pages: u64) {
        self.caps.set_free(pages);
    }

    /// Takes a read that is about to happen; returns what to do before it.
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
        // Steps may still turn out to be one sequence that is read out of order.
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

    /// The stream that a read belongs to. If several match, a sequence is preferred to steps, and
    /// then the stream whose reader is closest.
    fn nearest_stream(&self, access: &Access) -> Option<usize> {
        let near = self.streams.iter().enumerate().filter_map(|(nth, stream)| {
            stream.distance(access).map(|distance| (stream.is_steps(), distance, nth))
        });
        near.min().map(|(_, _, nth)| nth)
    }

    /// The stream that begins with this read, if there is one.
    fn detect(&mut self, access: &Access, also_steps: bool) -> Option<Stream> {
        // After wrong guesses, a stream needs more reads.
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

    /// Tracks a stream. It replaces the first stream if that was a mistake, or the oldest if there
    /// are too many.
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

    /// Reports that these pages, which were read ahead, were evicted before they were read. They
    /// are asked for again, and less is read ahead from now on.
    pub fn evicted(&mut self, pages: &Range<u64>) {
        let waited: u64 = self.streams.iter().map(Stream::outstanding).sum();
        if self.streams.iter_mut().find_map(|stream| stream.lost(pages, false)).is_some() {
            self.caps.lost(waited);
        }
    }

    /// Reports that these pages, which were to be read ahead, were in memory already.
    pub fn resident(&mut self, pages: &Range<u64>) {
        let _ = self.streams.iter_mut().any(|stream| stream.resident(pages)); // its stream may be gone
    }

    /// Reports that these pages are not in memory, although their stream assumed so.
    pub fn missing(&mut self, pages: &Range<u64>) {
        let _ = self.streams.iter_mut().any(|stream| stream.lost(pages, true).is_some());
    }

    /// Whether the only stream goes forward, or reads the file from its first page on. The kernel's
    /// own readahead is best for that.
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

    /// Reports that the last requests were not executed: they will be made again.
    pub fn unasked(&mut self) {
        self.streams.iter_mut().for_each(Stream::unasked);
    }

    /// Pages that were asked for and not read yet.
    #[must_use]
    pub fn outstanding_pages(&self) -> u64 {
        self.streams.iter().map(Stream::outstanding).sum()
    }
}
