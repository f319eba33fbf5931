//! What a machine could do better for round robin databases, and what that would gain.
//!
//! ```text
//! /proc, /sys, /etc ── machine ─┐
//! the data's file system ─ place ┼─▶ Facts ── checks ──▶ Finding: ok, advice, warning, unknown
//! mrtg.cfg, store, files ── work ┘
//! ```
//!
//! Facts are gathered once; readers of `/proc`, `/sys` and `/etc` begin at a [`Root`], so that a
//! test can hand them another machine. A check is a function of the facts and decides alone. What
//! cannot be seen is [`Unseen`], with the reason, and never taken for fine.
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
