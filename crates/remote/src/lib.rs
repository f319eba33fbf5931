//! Access to a store of another process: calls of [`Store`](store::Store) over a connection.
//!
//! Both sides use rrdcached's protocol with one additional command:
//!
//! ```text
//!   client                                server
//!   CALL <kind> <bytes>\n  <bytes of a Call>
//!                                         0 <bytes> progress\n  <bytes of an Answer>     any number of times
//!                                         0 <bytes> answer\n    <bytes of an Answer>
//! ```
//!
//! If the last word is `durable` instead of `answer`, the changes of the call are on disk.
//!
//! A client may send several calls without waiting; the answers come in the same order. A line that
//! begins with `-1` means that the server stopped reading, and ends the connection.
//!
//! [`Call`] and [`Answer`] are encoded and decoded without a panic on any bytes from the other
//! side. Doubles keep every bit, texts every byte. Headers and whole databases are encoded as
//! `.rrd` files, or in a form of gyre's own where no file can say them. The server calls
//! [`serve()`] to answer a call from a store. The client's side is [`Remote`], which is itself a
//! store.

mod own_form;
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

/// The bytes are not a valid call or answer.
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
