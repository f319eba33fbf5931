//! The sockets that agents send samples to.
//!
//! ```text
//! TCP: one thread   epoll ─▶ what is there of all connections ─┐
//!                                                              ├─▶ senders ─▶ Batch ─▶ Intake::take
//! UDP: one thread   recvmmsg ─▶ what comes within 200 ms ──────┘         └──▶ StatsD: each interval
//! ```
//!
//! What was read at once is stored at once, and nothing is read meanwhile: a sender over TCP waits,
//! datagrams wait in the kernel. Bytes are read first and parsed into a batch later, for nobody new
//! is remembered while a batch is open. All memory is bounded: by the number of connections, by the
//! bytes that they leave unfinished, by what is gathered at once.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "it owns sockets, and the time of arrival is its")]

mod notice;
mod collectd;
mod options;
mod traffic;
mod bell;
mod gathered;
mod reading;
mod teller;
mod desk;
mod statsd;
mod sockets;
mod udp;
mod tcp;
mod listeners;

pub use collectd::{Collectd, CollectdError};
pub use desk::now_micros;
pub use listeners::Listeners;
pub use notice::{Notice, Wrong};
pub use options::{Options, Tell};
pub use sockets::{ListenError, Listening, Transport};
pub use traffic::Traffic;
