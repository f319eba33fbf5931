//! A compact encoding of the live state of an RRD.
//!
//! A group keeps the states of its members side by side, each in the same number of bytes. Values
//! that can be derived are left out: the first and further rows of the last update (`primary`,
//! `secondary`) are in the archives, and archives with the same PDPs per row (a *class*) have the
//! same counts of unknown PDPs. For MRTG's layout, two counters with AVERAGE and MAX of 1, 6, 24
//! and 288 steps of 300 s, the encoding is:
//!
//! ```text
//!   bits   0  34   seconds of the last update           bytes  0 to 17: the head
//!         34  20   microseconds of it
//!         54   9   source 0: unknown seconds
//!         63   3             kind of its last reading: 0 unsigned, 1 negative, 2 to 7 a word
//!         66  12   source 1
//!         78   1   class of 1 PDP: run (0: the primary is the newest row, 1: no row yet)
//!         79  10   class of 6: run (n: the primary is n rows older than the newest;
//!                              700, as many as the ring's rows: no row yet)
//!         89   3               unknown PDPs of source 0, then 3 bits of source 1
//!         95  10   class of 24: run, 5 and 5 bits of unknown PDPs
//!        115  10   class of 288: run, 9 and 9 bits of unknown PDPs
//!        143   1   zero
//!   bytes 18   8   source 0: value
//!         26   8             magnitude of its last reading
//!         34  16   source 1
//!         50  16   class of 1 PDP: secondary of source 0, of source 1
//!         66  32   class of 6: values of AVERAGE of source 0, 1, of MAX of source 0, 1
//!         98  32   class of 24
//!        130  32   class of 288
//!        162
//! ```
//!
//! Everything is little-endian. The reading of a GAUGE, ABSOLUTE, DCOUNTER or DDERIVE has no kind
//! and takes 15 bytes: a nibble for each letter, `0123456789.-+eE`, and 15 for the end.
//!
//! The secondary of a class is the PDP that completed its newest row, so it is in the archive of 1
//! PDP a row. If the layout has no such archive that is long enough, the secondary is encoded. An
//! archive of 1 PDP a row consolidates nothing, so its values never change.
//!
//! The value of a STDEV or PERCENTILE archive takes more than 8 bytes (`row`).
//!
//! A state that does not fit is detected, never cut: it is kept [aside](StateLayout::encode) in a
//! format for every state. It fits again when the unusual text, or the edited value, has been
//! replaced. The state of a database with forecasts is always kept aside, together with the rows of
//! its seasons.

pub mod seasons;
mod layout;
mod reading;
mod bits;
mod pack;
mod peek;
mod plain;
mod runs;
mod aside;
mod forecast;
mod row;

use rrd::{Definition, LiveState, Timestamp};

pub use layout::StateLayout;
pub use plain::PlainPlaces;

/// A live state, and where its primaries are stored.
#[derive(Clone, Debug)]
pub struct State {
    /// The state. If a run is not [`Run::Explicit`], the primaries of that class are arbitrary, and
    /// so are its secondaries if they are in an archive; [`StateLayout::complete`] fills them in.
    pub live: LiveState,
    /// For each class of the layout, where the primaries of its archives are stored.
    pub runs: Vec<Run>,
    /// For each archive, how many rows of the current update are newer than its primary. Kept
    /// between updates, so that updates allocate nothing.
    newer_rows: Vec<Option<u64>>,
}

/// Where the primaries of a class are stored. A primary is the first row that became final in the
/// last update with final rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// No row is final yet: primaries and secondaries are zero.
    Never,
    /// In the row that is this many rows older than the newest, or in the oldest row of a shorter
    /// archive.
    Age(u64),
    /// In the state, like the secondaries.
    Explicit,
}

impl State {
    /// The state of a new RRD whose last update is `start`.
    #[must_use]
    pub fn fresh(layout: &StateLayout, definition: &Definition, start: Timestamp) -> Self {
        let mut live = LiveState::fresh(definition, start);
        seasons::begin(definition, &mut live);
        let run = if layout.has_forecasts() { Run::Explicit } else { Run::Never };
        Self::new(live, vec![run; layout.classes().len()])
    }

    /// A state with its primaries stored as `runs` tells ([`StateLayout::runs_of`]).
    #[must_use]
    pub fn new(live: LiveState, runs: Vec<Run>) -> Self {
        Self { live, runs, newer_rows: Vec::new() }
    }
}
