//! Finds out what could be improved on a machine for round robin databases, and what that would
//! gain.
//!
//! ```text
//! /proc, /sys, /etc ── machine ─┐
//! the data's file system ─ place ┼─▶ Facts ── checks ──▶ Finding: ok, advice, warning, unknown
//! mrtg.cfg, store, files ── work ┘
//! ```
//!
//! Facts are gathered once. Readers of `/proc`, `/sys` and `/etc` begin at a [`Root`], so that a
//! test can provide the files of another machine. A check is a function of the facts only. A fact
//! that cannot be found out is [`Unseen`], with the reason, and never counts as good.
#![allow(clippy::disallowed_methods)] // an edge: it looks at a machine

mod unseen;
pub mod machine;
pub mod place;
pub mod work;
mod measure;
mod facts;
mod finding;
pub mod checks;
mod report;

pub use facts::{Facts, Given, GivenError};
pub use finding::{Finding, State};
pub use measure::Measured;
pub use report::Report;
pub use unseen::{Root, Seen, Unseen};
