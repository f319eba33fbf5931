//! Graphite's render language over [`series::Paths`] and [`series::Source`], and the bodies of
//! Graphite's HTTP API.
//!
//! ```text
//!   target --language--> expression --evaluate--> calls of functions --> series --api--> body
//!                                        |
//!                                  Paths, Source: rows of start..end
//! ```
//!
//! The crate knows no store, clock, socket or file. Time, zone and whether the request goes on are
//! passed in ([`Setting`]), and a request is bounded in values, work and depth ([`Limits`]).
//!
//! A point's timestamp is where its step *begins*. rrdtool says when a step ends; graphite-web shows
//! the rows of `.rrd` files by where their steps begin, and so does this crate.

mod error;
mod limits;
mod number_text;
mod language;
mod at_time;
mod pattern;
mod aggregation;
mod consolidation;
mod time_series;
mod parameter;
mod argument;
mod function;
mod nodes;
mod functions;
mod tags;
mod rows;
mod setting;
mod evaluate;
pub mod api;

pub use error::Error;
pub use limits::Limits;
pub use setting::{Setting, Store};
