//! The test programs of the workspace: cargo builds them, and several run at the same time.
//!
//! `cargo test` runs one after the other. Many of them wait for most of their time, for a disk or
//! for servers, and leave the processors idle meanwhile.

mod programs;
mod order;
mod running;

pub(crate) use programs::build;
pub(crate) use running::run_all;
