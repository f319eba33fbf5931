//! What agents send: Graphite's lines and pickles, Influx' line protocol, Prometheus' remote write,
//! packets of collectd, StatsD's lines.
//!
//! Each protocol is read in place, and what it says is handed out one [`Sent`] after the other. No
//! message takes more memory than its own bytes and one [`Sent`]. Whoever takes them knows most
//! series already, so a [`Series`] is cheap to tell apart by its [`Series::write_key`], and its
//! [`Identity`] is made only of one that is new.

mod identity;
mod sent;

pub use identity::Identity;
pub use sent::{Kind, Sent, Series, Value};
