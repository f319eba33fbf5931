//! rrdcached's protocol, that of the daemon that gathers updates in front of round robin files: the
//! client's side, and in [`server`] the daemon's.
//!
//! The protocol is lines of text. A command is one line of at most [`LINE_BYTES_MAX`] bytes, a
//! blank between words, a backslash before a blank or a backslash within one. A reply is a number
//! and a text; as many lines follow as the number says, none where it is negative: the daemon
//! refused.
//!
//! ```text
//! > flush /srv/a\ b.rrd              > INFO a.rrd
//! < 0 Nothing to flush: /srv/a b.rrd.  < 30 Info for /srv/a.rrd follows
//! > UPDATE a.rrd 5:1                 < filename 2 /srv/a.rrd
//! < -1 illegal attempt to update ...   < step 1 300
//! ```
//!
//! Words, replies and addresses ([`Address`], [`Line`], [`Reply`], [`Fact`], [`Statistics`],
//! [`fetched`]) touch no socket and never panic, whatever a daemon says. [`Client`] is one
//! connection, made again where the daemon was restarted. [`shared()`] is the one connection that
//! the functions of librrd and the verbs of one process have in common.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "it makes sockets, and reads the variables of its own"
)]

mod address;
mod line_length;
mod line;
mod system_words;
mod reply;
mod info;
mod statistics;
pub mod fetched;
mod unresolved;
mod error;
mod remote_path;
mod socket_name;
mod security;
mod dial;
mod client;
mod shared;
pub mod server;

pub use address::{Address, AddressError, DEFAULT_PORT};
pub use client::{Client, Creation};
pub use error::Error;
pub use info::{Fact, FactValue};
pub use line::Line;
pub use line_length::LINE_BYTES_MAX;
pub use remote_path::remote_path;
pub use reply::{Reply, ReplyError, Status};
pub use shared::{Shared, shared};
pub use socket_name::{SocketName, cut_socket_path};
pub use statistics::Statistics;
pub use unresolved::Unresolved;
