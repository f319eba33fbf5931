//! A store that another process has: calls of [`Store`](store::Store) over a connection.
//!
//! Both sides speak rrdcached's protocol, to which one command is added:
//!
//! ```text
//!   client                                server
//!   CALL <kind> <bytes>\n  <bytes of a Call>
//!                                         0 <bytes> progress\n  <bytes of an Answer>     any number of times
//!                                         0 <bytes> answer\n    <bytes of an Answer>
//! ```
//!
//! Where the last word is `durable` instead of `answer`, what the call changed is on disk.
//!
//! Calls may follow each other without waiting; answers come in their order. A line that begins
//! with `-1` tells that the server did not read on behind it, which ends the connection.
//!
//! [`Call`] and [`Answer`] are bytes to values and back, and never panic on what the other side
//! sends. Doubles keep every bit, texts every byte. Heads and whole databases travel as the bytes
//! of the `.rrd` file that they are or would be. [`serve()`] has a store answer a call, and
//! [`Remote`] is the other side: a store.

mod bytes;
mod fault;
mod samples;
mod call;
mod answer;
mod serve;
mod connection;
mod client;
mod as_store;

pub use answer::Answer;
pub use bytes::Name;
pub use call::{Call, Kind};
pub use client::Remote;
pub use serve::{MANY_VALUES, images_at_once, serve};

/// Bytes that are no call, or no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}: {reason}")]
pub struct Malformed {
    expected: &'static str,
    reason: String,
}

impl Malformed {
    fn new(expected: &'static str, reason: impl std::fmt::Display) -> Self {
        Self { expected, reason: reason.to_string() }
    }
}
