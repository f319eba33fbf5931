//! A ring store used directly, compared with another one used through a server: answers, errors and
//! bytes are equal for every call. Neither side panics on any bytes from the other.
#![allow(clippy::disallowed_methods)] // the test makes sockets and directories

mod every_call;
mod batches;
mod inspection;
mod adoption;
mod failures;
mod damage;
mod both;
mod chance;
mod told;
#[path = "../served/mod.rs"]
mod served;

pub(crate) const START_SECONDS: i64 = 1_600_000_000;
pub(crate) const NAMES: [&str; 7] = ["a", "b.rrd", "deep/er/c", "d d", "\u{e9}", "../out", ""];
