//! StatsD's lines, and what they come to in an interval.
//!
//! ```text
//! api.hits:3|c|@0.1                 counts 30
//! queue.length:+2|g                 a gauge, two higher than it was
//! api.time:320:280|ms|#route:login  two values of a timer, with a tag of DogStatsD
//! users:alice|s                     one of a set
//! ```
//!
//! An [`Aggregator`] takes datagrams and hands out, at each interval's end, what StatsD would send to
//! Graphite under its own names without the old layout (`legacyNamespace: false`). Sources: "StatsD
//! Metric Types" and "Graphite" of StatsD's documentation, "DogStatsD datagram format" of Datadog's.

mod line;
mod stat;
mod aggregator;

pub use aggregator::{Aggregator, Limits};
