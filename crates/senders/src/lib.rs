//! What agents send: Graphite's lines and pickles, Influx' line protocol, Prometheus' remote write,
//! packets of collectd, StatsD's lines; and the names of the databases in which it is kept.
//!
//! Each protocol is read in place, and what it says is handed out one [`Sent`] after the other. No
//! message takes more memory than its own bytes and one [`Sent`], but a pickle, whose objects take
//! less than a hundred times its bytes. Whoever takes them knows most series already, so a
//! [`Series`] is cheap to tell apart by its [`Series::write_key`], and its [`Identity`] is made only
//! of one that is new.

mod sent;
mod identity;
pub mod database;
mod lines;
mod number;
pub mod graphite;
pub mod pickle;
pub mod influx;
pub mod remote_write;
pub mod collectd;
pub mod statsd;

pub use identity::Identity;
pub use lines::{Lines, WrongLine};
pub use sent::{Form, Kind, Sent, Series, VALUE, Value};
