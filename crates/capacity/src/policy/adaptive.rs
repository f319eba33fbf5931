//! Adaptive readahead (ARA), the patches for Linux 2.6.17 that the article measures.
//!
//! The article's rules, as they are interpreted here:
//!
//! * Several readers of one file are told apart by their positions, regardless of descriptors, and
//!   across close and open: the file keeps [`Stream`]s. A read belongs to the stream that it
//!   continues: forward, backward, with a stride that was seen twice, or sparsely within the pages
//!   that were read ahead.
//! * The first window has 32 pages. For a file that is opened and read from its beginning it is
//!   larger, so that the largest window, 1 MiB, is reached at once. Each further window is doubled.
//! * No window is larger than `readahead_ratio` percent of the *thrashing threshold*: the most
//!   pages that can be ahead of the stream so that it reaches them before they are evicted. That is
//!   the cache's size times the stream's share of all pages that the cache reads.
//! * A page that was read ahead and is evicted before it is read was *thrashed*: the window is
//!   halved. Pages ahead of a reader are kept longer, once half of the cache has been replaced
//!   since they came in.
//! * No more than `readahead_hit_rate` pages are read ahead for each page used, counted over the
//!   window before: a stream that uses little of what it gets gets less.
//! * On a congested disk only a missing page opens a window; no window is read before it is needed.

use super::{FileView, Order, Readahead, Stock, StockRules};

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// `readahead_ratio`: percent of the thrashing threshold; 0 turns readahead off, 1 selects
    /// stock readahead.
    pub ratio_percent: u32,
    /// `readahead_hit_rate`: the most pages read ahead for each page used.
    pub hit_rate: u32,
    /// The device's largest window, in pages.
    pub pages_max: u32,
    /// Whether the disk has more requests than it can serve.
    pub is_congested: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { ratio_percent: 50, hit_rate: 1, pages_max: 256, is_congested: false }
    }
}

/// Adaptive readahead of one file.
#[derive(Clone, Debug)]
pub struct Adaptive {
    tuning: Tuning,
    stock: Stock,
    /// The streams, newest last.
    streams: Vec<Stream>,
    is_fresh: bool,
}

/// One reader, as far as it can be told from others.
#[derive(Clone, Debug)]
struct Stream {
    last: u32,
    /// The distance from one read page to the next: 1 forward, -1 backward.
    stride: i64,
    /// How often that stride was seen.
    repeats: u32,
    /// The farthest page read ahead, in the stride's direction.
    ahead: i64,
    /// The pages of the last window.
    window: u32,
    /// Pages of the last window that were brought in, and pages that were used.
    brought: u32,
    used: u32,
    /// How many pages the cache had read when the last window was brought in.
    cache_read: u64,
}

const FIRST_PAGES: u32 = 32;
const WINDOW_MIN: u32 = 4;
const STREAMS_MAX: usize = 16;

impl Adaptive {
    /// The state of a file that was never opened.
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        let stock = Stock::new(StockRules::Article);
        Self { tuning, stock, streams: Vec::new(), is_fresh: true }
    }

    /// Removes and returns the stream that a read continues.
    fn stream_of(&mut self, page: u32) -> Option<Stream> {
        let place = self.streams.iter().rposition(|stream| stream.expects(page))?;
        Some(self.streams.remove(place))
    }

    fn remember(&mut self, stream: Stream) {
        if self.streams.len() == STREAMS_MAX {
            self.streams.remove(0);
        }
        self.streams.push(stream);
    }

    /// A read that continues no stream. At the file's beginning it is treated as sequential at
    /// once.
    fn begin(&mut self, page: u32, file: &FileView<'_>, order: &mut Order) {
        let near = self.streams.iter().rposition(|stream| stream.may_stride_to(page));
        let mut stream = match near {
            Some(place) => self.streams.remove(place).stride_to(page),
            None => Stream::at(page, file),
        };
        if page == 0 && self.is_fresh && !file.is_resident(0) {
            stream.window = self.tuning.pages_max / 4;
            self.open_window(&mut stream, file, order);
        }
        self.remember(stream);
    }

    fn go_on(&self, stream: &mut Stream, page: u32, file: &FileView<'_>, order: &mut Order) {
        let was_ahead = stream.is_within(page);
        let is_missing = !file.is_resident(page);
        stream.take(page);
        if was_ahead && is_missing {
            stream.window = (stream.window / 2).max(WINDOW_MIN);
            stream.ahead = i64::from(page);
        } else if was_ahead {
            stream.keep_ahead(file, order);
        }
        let is_due = stream.pages_left() <= stream.window / 2 && !self.tuning.is_congested;
        if is_missing || (is_due && stream.is_worth_it(self.tuning.hit_rate)) {
            if !was_ahead || !is_missing {
                stream.window = (2 * stream.window).max(FIRST_PAGES).min(self.tuning.pages_max);
            }
            self.open_window(stream, file, order);
        }
    }

    /// Brings in the next window, as large as the rules allow; pages that are ahead already count.
    fn open_window(&self, stream: &mut Stream, file: &FileView<'_>, order: &mut Order) {
        let threshold = stream.thrashing_threshold(file) * u64::from(self.tuning.ratio_percent);
        let allowed = u32::try_from(threshold / 100).unwrap_or(u32::MAX).min(self.tuning.pages_max);
        let room = allowed.saturating_sub(stream.pages_left());
        if room < WINDOW_MIN && stream.pages_left() > 0 {
            return;
        }
        stream.window = stream.window.min(room).max(1);
        (stream.brought, stream.used) = (0, 0);
        stream.cache_read = file.pages_read();
        match stream.stride {
            1 => stream.bring_forward(file, order),
            -1 => stream.bring_backward(file, order),
            _ => stream.bring_strided(file, order),
        }
    }
}

impl Stream {
    fn at(page: u32, file: &FileView<'_>) -> Self {
        Self {
            last: page,
            stride: 1,
            repeats: 0,
            ahead: i64::from(page),
            window: 0,
            brought: 0,
            used: 0,
            cache_read: file.pages_read(),
        }
    }

    /// Whether a page was read ahead.
    fn is_within(&self, page: u32) -> bool {
        let page = i64::from(page);
        let (low, high) =
            (i64::from(self.last).min(self.ahead), i64::from(self.last).max(self.ahead));
        (low..=high).contains(&page) && page != i64::from(self.last)
    }

    fn expects(&self, page: u32) -> bool {
        let distance = i64::from(page) - i64::from(self.last);
        let turns_back = self.repeats == 0 && self.window == 0 && distance == -1;
        distance == self.stride || turns_back || self.is_within(page)
    }

    /// Whether a page may be the third of three at equal distances, or the second.
    fn may_stride_to(&self, page: u32) -> bool {
        let distance = i64::from(page) - i64::from(self.last);
        self.window == 0 && distance != 0 && distance.abs() <= 64
    }

    fn stride_to(mut self, page: u32) -> Self {
        self.stride = i64::from(page) - i64::from(self.last);
        self.repeats = 1;
        self.last = page;
        self.ahead = i64::from(page);
        self
    }

    fn take(&mut self, page: u32) {
        let distance = i64::from(page) - i64::from(self.last);
        if distance == -1 && self.repeats == 0 {
            self.stride = -1;
        }
        self.repeats += 1;
        self.used += 1;
        self.last = page;
        if (i64::from(page) - self.ahead) * self.stride.signum() > 0 {
            self.ahead = i64::from(page);
        }
    }

    /// Pages read ahead that the reader has not reached.
    fn pages_left(&self) -> u32 {
        u32::try_from((self.ahead - i64::from(self.last)) / self.stride).unwrap_or(0)
    }

    fn is_worth_it(&self, hit_rate: u32) -> bool {
        self.brought <= hit_rate.saturating_mul(self.used.saturating_add(self.window / 2))
    }

    /// The most pages that can be ahead of the stream without being evicted before it reaches them.
    fn thrashing_threshold(&self, file: &FileView<'_>) -> u64 {
        let read_by_all = self.read_since(file);
        let own = u64::from(self.used.max(1)).min(read_by_all.max(1));
        u64::from(file.cache_pages()) * own / read_by_all.max(1)
    }

    /// Pages that the cache has read since the last window. A cache that was emptied counts from
    /// zero.
    fn read_since(&self, file: &FileView<'_>) -> u64 {
        let read = file.pages_read();
        read.checked_sub(self.cache_read).unwrap_or(read)
    }

    fn keep_ahead(&self, file: &FileView<'_>, order: &mut Order) {
        let aged = self.read_since(file);
        if aged * 2 > u64::from(file.cache_pages()) && self.stride == 1 {
            order.keep.push(self.last + 1..self.ahead as u32 + 1);
        }
    }

    fn bring_forward(&mut self, file: &FileView<'_>, order: &mut Order) {
        let start = (self.ahead + 1).max(i64::from(self.last)) as u32;
        order.bring(start, self.window, file);
        self.ahead = i64::from(start.saturating_add(self.window).min(file.pages())) - 1;
        self.brought = self.window;
    }

    fn bring_backward(&mut self, file: &FileView<'_>, order: &mut Order) {
        let end = (self.ahead.min(i64::from(self.last))) as u32;
        let start = end.saturating_sub(self.window);
        order.bring(start, end - start, file);
        self.ahead = i64::from(start);
        self.brought = end - start;
    }

    /// Brings in the next pages of the stride, one by one.
    fn bring_strided(&mut self, file: &FileView<'_>, order: &mut Order) {
        let pages = self.window / self.stride.unsigned_abs().clamp(1, 64) as u32 + 1;
        for _ in 0..pages {
            let next = self.ahead + self.stride;
            if !(0..i64::from(file.pages())).contains(&next) {
                return;
            }
            order.bring(next as u32, 1, file);
            self.ahead = next;
            self.brought += 1;
        }
    }
}

impl Readahead for Adaptive {
    fn open(&mut self) {
        self.stock.open();
        self.is_fresh = true;
    }

    fn read(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order) {
        match self.tuning.ratio_percent {
            0 => return,
            1 => return self.stock.read(page, wanted, file, order),
            _ => {}
        }
        if self.streams.last().is_some_and(|stream| stream.last == page) {
            return;
        }
        match self.stream_of(page) {
            Some(mut stream) => {
                self.go_on(&mut stream, page, file, order);
                self.remember(stream);
            }
            None => self.begin(page, file, order),
        }
        self.is_fresh = false;
    }
}
