//! Lines for the log, encoded beside it.

use crate::journal::record::{BaseView, Event, Kind};
use crate::journal::{Generation, LogPosition, RawRecord, Record, Records, RrdId};

/// A file keeps its number while the log has something of it: numbers need no generations.
const GENERATION: Generation = Generation(0);

/// Lines for the log, encoded beside it.
#[derive(Debug, Default)]
pub struct Lines {
    records: Records,
    has_base: bool,
}

impl Lines {
    /// What a file holds before the samples that follow; once, and first.
    pub fn base(&mut self, number: RrdId, base: &BaseView<'_>) {
        assert!(self.records.is_empty(), "a base comes before everything else");
        self.records.push_base(number, GENERATION, base);
        self.has_base = true;
    }

    /// A sample that was taken, as its argument `TIME:READING[:READING...]`, letter for letter.
    pub fn sample(&mut self, number: RrdId, argument: &str) {
        self.records.push_argument(number, GENERATION, argument);
    }

    /// A command ended, of which the samples before are part: seasons that they made due are
    /// smoothed, unless a value was `refused`. Databases that do not forecast need no such line.
    pub fn end(&mut self, number: RrdId, refused: bool) {
        self.event(number, Event::End { refused });
    }

    /// The samples since the last base were dropped.
    pub fn forget(&mut self, number: RrdId) {
        self.event(number, Event::Delete);
    }

    /// What was logged of a file before a position is in it, durably.
    pub(super) fn written(&mut self, number: RrdId, through: LogPosition) {
        self.event(number, Event::Written { through });
    }

    /// A record as it stands in the log; only one of the file with this number is taken.
    pub(super) fn record_of(&mut self, number: RrdId, record: &[u8]) {
        let raw = RawRecord::parse(record).expect("it stood in the log");
        if raw.rrd() == number {
            assert!(self.has_base || raw.kind() == Kind::Base, "a base comes before all else");
            self.has_base = true;
            self.records.push_raw(&raw);
        }
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> usize {
        self.records.bytes_len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.records.clear();
        self.has_base = false;
    }

    pub(super) fn has_base(&self) -> bool {
        self.has_base
    }

    pub(super) fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn event(&mut self, rrd: RrdId, event: Event) {
        self.records.push(&Record { rrd, generation: GENERATION, event });
    }
}
