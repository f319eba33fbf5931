//! The XML of `rrdtool dump` and `rrdtool restore`.
//!
//! ```text
//!   rrd ── version, step, lastupdate
//!    ├── ds (one a source) ── name, type, minimal_heartbeat, min, max, last_ds, value, unknown_sec
//!    └── rra (one an archive) ── cf, pdp_per_row, params/xff
//!         ├── cdp_prep ── ds (one a source) ── primary_value, secondary_value, value,
//!         │                                    unknown_datapoints
//!         └── database ── row (oldest first) ── v (one a source)
//! ```
//!
//! Values have eleven digits: a dump loses what lies beyond them, and microseconds.

mod dump;
mod elements;
mod restore;

pub use dump::{Prologue, dump};
pub use elements::XmlError;
pub use restore::{RangeCheck, restore};
